import { complexityFromQuery } from '@pothos/plugin-complexity'
import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql'
import { invalidRequest } from '../errors.ts'

/** What `extensions.cost` says: what the request may cost, and what it might at most. */
export interface Cost {
  requested: number
  limit: number
}

/**
 * The cost of an operation, before it is run: about the number of fields that it can answer with, at the page sizes that it asks for. Throws
 * `invalid_request` when that is above the limit. The document must be valid.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Record<string, unknown> | null | undefined,
  limit: number,
): Cost {
  const operation = operationOf(document, operationName)
  const requested = operation ? complexityOf(schema, document, operation, variables ?? {}) : 0
  if (requested > limit) {
    const details = `the document must cost at most ${limit}; at its page sizes it may cost ${requested}`
    throw invalidRequest([{ field: 'query', details }])
  }
  return { requested, limit }
}

function operationOf(document: DocumentNode, name: string | null | undefined): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  return name == null ? operations[0] : operations.find((operation) => operation.name?.value === name)
}

interface Costing {
  /** The operation, its fragments, and of its variables those that can say how much is asked for. */
  document: DocumentNode
  scalars: readonly VariableDefinitionNode[]
  sizes: readonly string[]
  /** What it costs by the values of its sizes. */
  costs: Map<string, number>
}

const mostKept = 100
const costings = new WeakMap<OperationDefinitionNode, Costing>()

function complexityOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): number {
  const costing = costings.get(operation) ?? createCosting(document, operation)
  costings.set(operation, costing)
  const key = JSON.stringify(costing.sizes.map((name) => variables[name] ?? null))
  const kept = costing.costs.get(key)
  if (kept !== undefined) return kept
  const cost = calculate(schema, costing, operation, variables)
  if (cost === undefined) return 0
  if (costing.costs.size >= mostKept) costing.costs.clear()
  costing.costs.set(key, cost)
  return cost
}

/**
 * The plugin takes the first operation of a document, whichever is run, and reads every variable, however long: it gets the one operation, and of the
 * variables the short ones.
 */
function createCosting(document: DocumentNode, operation: OperationDefinitionNode): Costing {
  const scalars = (operation.variableDefinitions ?? []).filter((definition) =>
    /^(Int|ID|String|Boolean)$/.test(typeName(definition)),
  )
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return {
    document: { ...document, definitions: [{ ...operation, variableDefinitions: scalars }, ...fragments] },
    scalars,
    sizes: scalars.filter((definition) => typeName(definition) === 'Int').map(({ variable }) => variable.name.value),
    costs: new Map(),
  }
}

function typeName({ type }: VariableDefinitionNode): string {
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  return inner.kind === Kind.NAMED_TYPE ? inner.name.value : ''
}

function calculate(
  schema: GraphQLSchema,
  { document, scalars }: Costing,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): number | undefined {
  const names = scalars.map(({ variable }) => variable.name.value).filter((name) => name in variables)
  try {
    const given = Object.fromEntries(names.map((name) => [name, variables[name]]))
    return complexityFromQuery(document, { schema, variables: given }).complexity
  } catch (error) {
    // Variables that do not fit run nothing: GraphQL itself tells every one of them.
    if (getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors) return undefined
    throw error
  }
}
