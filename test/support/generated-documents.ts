import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  print,
  valueToLiteral,
} from 'graphql'
import { encodeNodeId, keyInStore } from '../../schema/builder/node-ids.ts'
import { schema } from '../../schema/index.ts'
import { type Input, isRequired, sampleOf, storeNames } from './samples.ts'

/** A document made from the schema: a root field with everything below it that is near. */
export interface GeneratedDocument {
  title: string
  operation: 'query' | 'mutation' | 'subscription'
  field: string
  text(storeUuid: string): string
  /** `Type.field` of all that it selects. */
  visits: ReadonlySet<string>
}

/** What narrows a choice, where it may be given: an item without any is refused before it is looked for. */
const narrowing = /^(assetId|parentCode|channel)$/

/** A document for each root field with its whole answer, and a query for each type by the shortest way. */
export function generateDocuments(): GeneratedDocument[] {
  const roots = (['query', 'mutation', 'subscription'] as const).flatMap((operation) => {
    const root = schema.getRootType(operation as never)
    return root ? Object.values(root.getFields()).map((field) => documentOf(operation, root, [field])) : []
  })
  const query = schema.getQueryType()
  const byType = [...(query ? shortestPaths(query) : [])].map(([type, path]) => ({
    ...documentOf('query', query as GraphQLObjectType, path),
    title: `${type.name} by ${path.map(({ name }) => name).join('.')}`,
  }))
  return [...roots, ...byType]
}

/** Every `Type.field` that answers can have. */
export function allFields(): string[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) => Object.keys((type as GraphQLObjectType).getFields()).map((field) => `${type.name}.${field}`))
}

type Field = GraphQLField<unknown, unknown>

function documentOf(
  operation: GeneratedDocument['operation'],
  root: GraphQLObjectType,
  path: readonly Field[],
): GeneratedDocument {
  const visits = new Set<string>()
  const write = (store: string) => `${operation} { ${pathOf(root, path, store, visits)} }`
  write('')
  return { title: `${operation} ${path[0]?.name}`, operation, field: path[0]?.name ?? '', text: write, visits }
}

/** The fields of the path within each other, and at its end all of the last one's answer. */
function pathOf(
  type: GraphQLObjectType,
  [field, ...rest]: readonly Field[],
  store: string,
  visits: Set<string>,
): string {
  if (!field) return selectionOf(type, store, visits, 2)
  visits.add(`${type.name}.${field.name}`)
  const named = getNamedType(field.type)
  const text = `${field.name}${argumentsOf(field, store)}`
  if (isInterfaceType(named)) return `${text} { ${selectionOfEach(named, visits)} }`
  return isObjectType(named) ? `${text} { ${pathOf(named, rest, store, visits)} }` : text
}

/** Leaves of each type that implements an interface, but for those that have another type in one before it. */
function selectionOfEach(type: GraphQLInterfaceType, visits: Set<string>): string {
  const typeOf = new Map<string, string>()
  const leavesOf = (one: GraphQLObjectType) =>
    Object.values(one.getFields()).filter((field) => {
      if (!isLeafType(getNamedType(field.type)) || field.args.length > 0) return false
      if (!typeOf.has(field.name)) typeOf.set(field.name, String(field.type))
      return typeOf.get(field.name) === String(field.type)
    })
  const parts = schema.getPossibleTypes(type).map((one) => {
    const leaves = leavesOf(one)
    for (const { name } of leaves) visits.add(`${one.name}.${name}`)
    return `... on ${one.name} { ${leaves.map(({ name }) => name).join(' ')} }`
  })
  return parts.join(' ')
}

/** All leaves of a type, and of the types below it down to a depth. */
function selectionOf(type: GraphQLObjectType, store: string, visits: Set<string>, deep: number): string {
  const parts = Object.values(type.getFields()).flatMap((field) => {
    const named = getNamedType(field.type)
    if (!isLeafType(named) && deep === 0) return []
    visits.add(`${type.name}.${field.name}`)
    const text = `${field.name}${argumentsOf(field, store)}`
    return isObjectType(named) ? `${text} { ${selectionOf(named, store, visits, deep - 1)} }` : text
  })
  return parts.length > 0 ? parts.join(' ') : '__typename'
}

/** The way from the root to each type that a query can come to. */
function shortestPaths(root: GraphQLObjectType): Map<GraphQLObjectType, Field[]> {
  const paths = new Map<GraphQLObjectType, Field[]>()
  let edge: [GraphQLObjectType, Field[]][] = [[root, []]]
  while (edge.length > 0) {
    edge = edge.flatMap(([type, path]) =>
      Object.values(type.getFields()).flatMap((field): [GraphQLObjectType, Field[]][] => {
        const named = getNamedType(field.type)
        if (!isObjectType(named) || paths.has(named)) return []
        paths.set(named, [...path, field])
        return [[named, [...path, field]]]
      }),
    )
  }
  return paths
}

/** Ids of what a store may have. */
function nodeIds(store: string): string[] {
  return [
    encodeNodeId('Store', store),
    encodeNodeId('Product', keyInStore(store, 'CODE-1')),
    encodeNodeId('Asset', keyInStore(store, 'asset-1')),
    encodeNodeId('AssetGroup', keyInStore(store, 'SMP', 'image', 'CODE-1')),
    encodeNodeId('AttributeDefinition', keyInStore(store, 'Color')),
  ]
}

function argumentsOf(field: Field, store: string): string {
  if (field.name === 'node' && field.args.length > 0) return `(id: "${nodeIds(store)[0]}")`
  const given = field.args.flatMap((arg) => {
    if (arg.name === 'dryRun') return ['dryRun: true']
    if (!isGiven(arg)) return []
    const value = arg.name === 'ids' ? nodeIds(store) : sampleOf(arg, store, isGiven)
    const literal = valueToLiteral(value, arg.type)
    if (!literal) throw new Error(`${arg.name} cannot be ${JSON.stringify(value)}`)
    return [`${arg.name}: ${print(literal)}`]
  })
  return given.length > 0 ? `(${given.join(', ')})` : ''
}

/** What narrows a choice and what names a store are given where they are optional, too. */
const isGiven = (input: Input) => isRequired(input) || narrowing.test(input.name) || storeNames.test(input.name)
