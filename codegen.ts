import { readFile, writeFile } from 'node:fs/promises'
import { codegen } from '@graphql-codegen/core'
import * as typedDocumentNode from '@graphql-codegen/typed-document-node'
import * as typescriptOperations from '@graphql-codegen/typescript-operations'
import {
  type DocumentNode,
  type GraphQLNullableType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
  type SelectionSetNode,
} from 'graphql'
import { renamedFields, restNameOf } from './rest/translate.ts'
import { schema } from './schema/index.ts'
import { itemReasons } from './src/catalogue/bounded-failures.ts'
import { skipReasons } from './src/catalogue/changes/revert/skipped-item.ts'
import { fallbackEnumerations } from './src/catalogue/enumerations.ts'
import { ownVersion } from './src/database/version.ts'

/**
 * Makes the generated files: `node codegen.ts` writes them, `node codegen.ts --check` fails when one is not current.
 */
const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`

const scalars = { ID: 'string', URL: 'string', AttributeMap: 'Record<string, unknown>', DateTime: 'string' }
const scalarShapes: Record<string, string> = {
  ID: 'z.string()',
  String: 'z.string()',
  URL: 'z.string()',
  // Every Int in an answer is a count or an index.
  Int: 'z.int().min(0)',
  Boolean: 'z.boolean()',
  DateTime: 'z.iso.datetime()',
  AttributeMap: 'z.record(z.string(), z.string())',
}
/** The values of strings that GraphQL does not declare as enumerations. */
const stringValues: Record<string, readonly string[]> = {
  'ErrorInfo.reason': itemReasons,
  'SkippedItem.reason': skipReasons,
}
const plugins = { 'typescript-operations': typescriptOperations, 'typed-document-node': typedDocumentNode }
const restOperations = 'rest/operations.graphql'
const pluginConfig = {
  useTypeImports: true,
  enumsAsTypes: true,
  skipTypename: true,
  dedupeFragments: true,
  // They are in schema.graphql.
  disableDescriptions: true,
  scalars,
}

const check = process.argv.includes('--check')
const results = resultShapes(parse(await readFile(restOperations, 'utf8')))
await make([
  { filename: 'schema/schema.graphql', content: sdl },
  { filename: 'rest/results.generated.ts', content: results },
  await typedOperations('rest/operations.generated.ts', restOperations),
  await typedOperations('examples/dashboard-operations.ts', 'examples/dashboard.graphql'),
])
// The endpoints import the operations and results, so they come after them.
const { endpoints } = await import('./rest/endpoints.ts')
const { openApiDocument } = await import('./rest/openapi/document.ts')
const openApi = `${JSON.stringify(openApiDocument(endpoints, fallbackEnumerations, ownVersion()), null, 2)}\n`
await make([{ filename: 'docs/openapi.json', content: openApi }])

interface GeneratedFile {
  filename: string
  content: string
}

/** The operations of a file as typed documents, with the types of their variables and results. */
async function typedOperations(filename: string, source: string): Promise<GeneratedFile> {
  const content = await codegen({
    filename,
    schema: parse(sdl),
    documents: [{ location: source, document: parse(await readFile(source, 'utf8')) }],
    plugins: Object.keys(plugins).map((name) => ({ [name]: {} })),
    pluginMap: plugins,
    config: pluginConfig,
  })
  return { filename, content }
}

async function make(files: readonly GeneratedFile[]): Promise<void> {
  for (const { filename, content } of files) {
    if (!check) await writeFile(filename, content)
    else if ((await readFile(filename, 'utf8').catch(() => '')) !== content) {
      console.error(`${filename} is not current: run "npm run codegen"`)
      process.exitCode = 1
    }
  }
}

/** The shapes, in zod, of the results of operations: of each fragment, and of operations that are not all a fragment. */
function resultShapes({ definitions }: DocumentNode): string {
  const fragments = definitions.flatMap((node) => {
    if (node.kind !== Kind.FRAGMENT_DEFINITION) return []
    const type = schema.getType(node.typeCondition.name.value)
    if (!isObjectType(type)) throw new Error(`${node.name.value} must be a fragment on an object`)
    const meta = JSON.stringify({ id: node.name.value, description: type.description })
    return `export const ${node.name.value} = z.object(${fieldShapes(type, node.selectionSet, 'optional')}).meta(${meta})`
  })
  const operations = definitions.flatMap((node) => {
    // The events of a subscription are a fragment.
    if (node.kind !== Kind.OPERATION_DEFINITION || node.operation === 'subscription') return []
    const [field] = node.selectionSet.selections
    const root = schema.getRootType(node.operation)
    if (field?.kind !== Kind.FIELD || !root) throw new Error('an operation must have one field')
    const type = getNullableType(root.getFields()[field.name.value]?.type)
    const isObject = isObjectType(type) && field.selectionSet
    const [whole] = field.selectionSet?.selections ?? []
    // Its shape is that of the fragment.
    if (whole?.kind === Kind.FRAGMENT_SPREAD) return []
    const shape = isObject ? fieldShapes(type, field.selectionSet) : fieldShapes(root, node.selectionSet)
    return `export const ${node.name?.value} = z.object(${shape})`
  })
  const head = "// Generated by codegen.ts from operations.graphql and the GraphQL schema.\nimport { z } from 'zod'\n"
  // A fragment may spread those after it in the file.
  return `${[head, ...fragments.toReversed(), ...operations].join('\n')}\n`
}

type OfNull = 'optional' | 'nullable'

/** The shapes of the fields of an object. A null is absent (`optional`), or null. */
function fieldShapes(type: GraphQLObjectType, set: SelectionSetNode, ofNull: OfNull = 'nullable') {
  const members = set.selections.map((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error('a fragment must be spread alone')
    const field = type.getFields()[selection.name.value]
    if (!field) throw new Error(`${type.name} has no field ${selection.name.value}`)
    const fieldType = getNullableType(field.type)
    const name = (selection.alias ?? selection.name).value
    const isRenamed = renamedFields.has(name)
    if (isEnumType(fieldType) !== isRenamed || isEnumType(getNamedType(fieldType)) !== isRenamed)
      throw new Error(`${type.name}.${name}: renamedFields must name the fields of an enumeration, and no others`)
    const values = stringValues[`${type.name}.${field.name}`]
    const shape = values ? enumShape(values) : shapeOf(fieldType, selection.selectionSet, ofNull)
    const orNull = isNonNullType(field.type) ? '' : `.${ofNull}()`
    return `  ${name}: ${shape}${orNull}.describe(${JSON.stringify(field.description)}),`
  })
  return `{\n${members.join('\n')}\n}`
}

function shapeOf(type: GraphQLNullableType, set: SelectionSetNode | undefined, ofNull: OfNull): string {
  if (isListType(type)) return `z.array(${shapeOf(getNullableType(type.ofType), set, ofNull)})`
  if (isEnumType(type)) return enumShape(type.getValues().map(({ name }) => restNameOf(name)))
  const [only] = set?.selections ?? []
  if (only?.kind === Kind.FRAGMENT_SPREAD) return only.name.value
  if (isObjectType(type) && set) return `z.object(${fieldShapes(type, set, ofNull)})`
  const shape = scalarShapes[type.toString()]
  if (!shape) throw new Error(`scalarShapes has no shape of ${type}`)
  return shape
}

function enumShape(values: readonly string[]): string {
  return `z.enum(${JSON.stringify(values)})`
}
