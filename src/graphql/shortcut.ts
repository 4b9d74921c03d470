import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../auth/caller.ts'
import type { Context } from '../context.ts'
import { requestScope } from '../request-scope.ts'
import type { Cost } from './cost.ts'
import type { Guard } from './guard.ts'
import { createKnownDocuments, type KnownOperation } from './known-documents.ts'
import { nameOperation } from './name-operation.ts'
import { publicError } from './public-error.ts'
import { type Refusal, refusalOf } from './refusal.ts'

/** A POST to /graphql as it came: the body's bytes and the media types that the caller accepts, of those that an answer can have. */
export interface PostedRequest {
  body: Uint8Array
  accept: string
  /** Whether the request shall run elsewhere: what is too long or too much by its text alone is refused here all the same. */
  isHeavy?: boolean
}

export interface PostedAnswer {
  status: number
  headers: { 'Content-Type': string }
  body: string
}

/**
 * Answers a request if that can be done at once, with what is wrong with it or with what runs it; undefined, now or then, leaves it, untouched, to the whole of
 * GraphQL over HTTP.
 */
export type Shortcut = (
  request: PostedRequest,
  context: Context,
) => PostedAnswer | (() => Promise<PostedAnswer | undefined>) | undefined

/**
 * The way of ordinary requests, and of documents that are refused. It gives what yoga would, byte for byte but for the order of keys, without building
 * WHATWG requests and responses. Nothing is run before it is certain that this is the way.
 */
export function createShortcut(schema: GraphQLSchema, guard: Guard, log: Logger): Shortcut {
  const find = createKnownDocuments(schema, guard)

  return ({ body, accept, isHeavy = false }, context) => {
    const params = paramsOf(body)
    const found = params && judge(params, context.caller, isHeavy)
    if (!found) return undefined
    const type = typeOf(accept)
    const headers = { 'Content-Type': `${type}; charset=utf-8` }
    if ('errors' in found) {
      const status = found.status ?? (type === 'application/json' ? 200 : 400)
      return { status, headers, body: JSON.stringify({ errors: found.errors }) }
    }
    return async () => {
      const result = await runFound(found, params.variables, context)
      return result && { status: 200, headers, body: JSON.stringify(result) }
    }
  }

  async function runFound(
    { document, operationName, run, cost }: Found,
    variables: Params['variables'],
    context: Context,
  ) {
    nameOperation(document, operationName)
    const { data, errors } = await run(variables, context)
    // Variables that do not fit: nothing was run. Or what was read is too much for this thread.
    if (data === undefined || requestScope.getStore()?.isCostly) return undefined
    const ofRequest = errors && log.child({ requestId: context.requestId })
    return { data, errors: errors?.map((error) => publicError(error, ofRequest ?? log)), extensions: { cost } }
  }

  function judge(
    { query, operationName, variables }: Params,
    caller: Caller,
    isHeavy: boolean,
  ): Found | Refusal | undefined {
    try {
      if (isHeavy) return void guard.text(query, caller)
      const operation = find(query, operationName, caller)
      return { ...operation, cost: guard.cost(operation.document, operationName, variables, caller) }
    } catch (thrown) {
      return refusalOf(thrown, guard.mayIntrospect(caller), log)
    }
  }
}

type Found = KnownOperation & { cost: Cost }

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

/** The first of the accepted types; any means the plain one. */
function typeOf(accept: string): 'application/json' | 'application/graphql-response+json' {
  const [first] = accept.split(',')
  const strict = 'application/graphql-response+json'
  return first?.trim() === strict ? strict : 'application/json'
}
