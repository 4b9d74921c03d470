import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import type { Guard } from './guard.ts'
import { createKnownDocuments } from './known-documents.ts'
import { nameOperation } from './name-operation.ts'
import { publicError } from './public-error.ts'

/** A POST to /graphql as it came: the body's bytes and the media types that the caller accepts, of those that an answer can have. */
export interface PostedRequest {
  body: Uint8Array
  accept: string
}

export interface PostedAnswer {
  contentType: string
  body: string
}

/** Answers a request if that can be done at once; undefined leaves it, untouched, to the whole of GraphQL over HTTP. */
export type Shortcut = (request: PostedRequest, context: Context) => Promise<PostedAnswer | undefined>

/**
 * The way of ordinary requests: a sound document, variables that fit. It gives what yoga would, byte for byte but for the order of keys, without building
 * WHATWG requests and responses. Nothing is run before it is certain that this is the way.
 */
export function createShortcut(schema: GraphQLSchema, guard: Guard, log: Logger): Shortcut {
  const find = createKnownDocuments(schema, guard)
  return async ({ body, accept }, context) => {
    const params = paramsOf(body)
    const operation = params && find(params.query, params.operationName, context.caller)
    if (!operation) return undefined
    const { document, operationName, run } = operation
    const cost = costOf(() => guard.cost(document, operationName, params.variables, context.caller))
    if (!cost) return undefined
    nameOperation(document, operationName)
    const { data, errors } = await run(params.variables, context)
    // Variables that do not fit: nothing was run.
    if (data === undefined) return undefined
    const ofRequest = errors && log.child({ requestId: context.requestId })
    const shown = errors?.map((error) => publicError(error, ofRequest ?? log))
    return { contentType: typeOf(accept), body: JSON.stringify({ data, errors: shown, extensions: { cost } }) }
  }
}

interface Params {
  query: string
  operationName: string | undefined
  variables: Record<string, unknown>
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The parameters, when they are just these and in their usual forms. */
function paramsOf(body: Uint8Array): Params | undefined {
  try {
    const params: unknown = JSON.parse(utf8.decode(body))
    if (!isObject(params)) return undefined
    const { query, operationName, variables, ...others } = params
    if (typeof query !== 'string' || Object.keys(others).length > 0) return undefined
    if (operationName != null && typeof operationName !== 'string') return undefined
    if (variables != null && !isObject(variables)) return undefined
    return { query, operationName: operationName ?? undefined, variables: variables ?? {} }
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function costOf<T>(cost: () => T): T | undefined {
  try {
    return cost()
  } catch {
    return undefined
  }
}

/** The first of the accepted types; any means the plain one. */
function typeOf(accept: string): string {
  const [first] = accept.split(',')
  return `${first?.trim() === 'application/graphql-response+json' ? first.trim() : 'application/json'}; charset=utf-8`
}
