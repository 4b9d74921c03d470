import { readFileSync } from 'node:fs'
import {
  type ArgumentNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { type Access, accessOf, fieldsOf } from '../graphql/access.ts'

/** An operation that agents may run, and its description for them. */
export interface Tool {
  /** Such as `find_products`; with a preview `preview_` comes first. */
  name: string
  operation: string
  description: string
  inputSchema: {
    type: 'object'
    properties: Record<string, JsonSchema>
    required: string[]
    [keyword: string]: unknown
  }
  isMutation: boolean
  /** Whether it only previews the operation, which `apply_plan` does. */
  isPreviewed: boolean
  access: Access
  /** The text of the document. */
  text: string
}

/** This tool needs no preview: it undoes one request. */
const undoing = 'UndoRequest'

/** Not typed by codegen: agents send the variables, and tools need the descriptions and variables of the document. */
const file = new URL('../../mcp/operations.graphql', import.meta.url)

/** The tools of `mcp/operations.graphql`, in its order. */
export function readTools(schema: GraphQLSchema): Tool[] {
  const { definitions } = parse(readFileSync(file, 'utf8'))
  return definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((definition) => toolOf(definition, schema))
}

function toolOf(definition: OperationDefinitionNode, schema: GraphQLSchema): Tool {
  const { name: { value: operation } = { value: '' }, description } = definition
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition] }
  const isMutation = definition.operation === 'mutation'
  const isPreviewed = isMutation && operation !== undoing
  const snake = operation.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()
  const said = description?.value ?? ''
  return {
    name: isPreviewed ? `preview_${snake}` : snake,
    operation,
    description: isPreviewed ? `${said} Changes nothing: the answer has a plan for apply_plan.` : said,
    inputSchema: inputSchemaOf(definition, schema),
    isMutation,
    isPreviewed,
    access: accessOf(definition, fieldsOf(schema, document, definition)),
    text: print(document),
  }
}

type JsonSchema = Record<string, unknown>

/** The variables of an operation as JSON Schema, described as the arguments that they are given to. */
function inputSchemaOf(definition: OperationDefinitionNode, schema: GraphQLSchema): Tool['inputSchema'] {
  const descriptions = new Map<string, string | null | undefined>()
  const types = new TypeInfo(schema)
  const enter = ({ value }: ArgumentNode) => {
    if (value.kind === Kind.VARIABLE) descriptions.set(value.name.value, types.getArgument()?.description)
  }
  visit(definition, visitWithTypeInfo(types, { Argument: { enter } }))
  const $defs: Record<string, JsonSchema> = {}
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  for (const { variable, type: given, defaultValue } of definition.variableDefinitions ?? []) {
    const name = variable.name.value
    const type = typeFromAST(schema, given) as GraphQLInputType | undefined
    if (planArguments.includes(name) || !type) continue
    const description = descriptions.get(name)
    properties[name] = {
      ...schemaOf(type, $defs),
      ...(description && { description }),
      ...(defaultValue && { default: valueFromASTUntyped(defaultValue) }),
    }
    if (isNonNullType(type) && !defaultValue) required.push(name)
  }
  return { type: 'object', properties, required, additionalProperties: false, $defs }
}

/** The variables that plans set, and not agents. */
const planArguments = ['dryRun', 'fingerprint']

const scalars: Record<string, JsonSchema> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  AttributeMap: { type: 'object' },
}

/** Input objects may contain themselves: each is a definition. */
function schemaOf(type: GraphQLInputType, $defs: Record<string, JsonSchema>): JsonSchema {
  if (isNonNullType(type)) return schemaOf(type.ofType, $defs)
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, $defs) }
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  if (!isInputObjectType(type)) return scalars[type.name] ?? { type: 'string' }
  if (!$defs[type.name]) {
    const fields = Object.values(type.getFields())
    const properties: Record<string, JsonSchema> = {}
    $defs[type.name] = {
      type: 'object',
      properties,
      required: fields
        .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
        .map((field) => field.name),
      additionalProperties: false,
    }
    for (const { name, description, type } of fields) {
      properties[name] = { ...schemaOf(type, $defs), ...(description && { description }) }
    }
  }
  return { $ref: `#/$defs/${type.name}` }
}
