import { type GraphQLField, type GraphQLOutputType, getNamedType, isLeafType, isObjectType } from 'graphql'
import { schema } from '../../../schema/index.ts'
import type { Caller } from './caller.ts'
import type { Item, Outcome } from './client.ts'
import { graphqlOutcome } from './graphql-client.ts'

/** Runs one field of Query or Mutation, which must succeed, and returns its result. */
export async function ask<Result = Item>(
  gateway: Caller,
  field: string,
  args: Item = {},
  selection?: string,
): Promise<Result> {
  const { result } = await gateway.data(documentOf(field, args, selection), args)
  return result as Result
}

/** The same for a field that may fail: its outcome in the words of REST. */
export async function attempt(gateway: Caller, field: string, args: Item = {}, selection?: string): Promise<Outcome> {
  return graphqlOutcome(await gateway.graphql(documentOf(field, args, selection), args))
}

/**
 * A document whose one field is called `result`. The arguments are variables, of the types that the schema gives them;
 * without a selection it selects all leaves down to two levels below the result.
 */
export function documentOf(field: string, args: Item, selection?: string): string {
  const [operation, { args: parameters, type }] = rootField(field)
  const given = Object.keys(args).map((name) => {
    const parameter = parameters.find((each) => each.name === name)
    if (!parameter) throw new Error(`${field} has no argument ${name}`)
    return { name, type: String(parameter.type) }
  })
  const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ')
  const call = given.length > 0 ? `${field}(${passed})` : field
  return `${operation}${declared && ` (${declared})`} { result: ${call} ${selection ?? leavesOf(type, 2)} }`
}

function rootField(name: string): ['query' | 'mutation', GraphQLField<unknown, unknown>] {
  const query = schema.getQueryType()?.getFields()[name]
  const field = query ?? schema.getMutationType()?.getFields()[name]
  if (!field) throw new Error(`the schema has no operation ${name}`)
  return [query ? 'query' : 'mutation', field]
}

function leavesOf(type: GraphQLOutputType, levels: number): string {
  const named = getNamedType(type)
  if (!isObjectType(named)) return ''
  const fields = Object.values(named.getFields()).filter(
    ({ type, args }) => args.length === 0 && (levels > 0 || isLeafType(getNamedType(type))),
  )
  return `{ ${fields.map((field) => `${field.name} ${leavesOf(field.type, levels - 1)}`).join(' ')} }`
}
