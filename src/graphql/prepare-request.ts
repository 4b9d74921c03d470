import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Logger } from 'pino'
import { CatalogueError, invalidRequest, type Reason, statusOf } from '../errors.ts'
import { lazy } from '../lazy.ts'
import type { Caller } from '../request/caller.ts'
import type { HttpResponse, RequestHeaders } from '../request/exchange.ts'
import { HttpError } from '../request/http-error.ts'
import { preferenceApplied, readStaleness, readWritePreferences, type Staleness } from '../request/preferences.ts'
import { isObject } from '../text.ts'
import type { Context } from './context.ts'
import type { Engine, PreparedOperation } from './engine.ts'
import { requireShort } from './limits/answer-size.ts'
import { InvalidVariables } from './limits/cost.ts'
import { limitsOf, requireFewItems, tooCostly } from './limits/limits.ts'
import { documentOf, type PersistedDocuments, PersistedQueryMissing } from './persisted-documents.ts'
import { publicErrors } from './public-error.ts'
import { paramsOfBody, paramsOfSearch } from './request-params.ts'
import { resultsOf } from './subscribe.ts'
import type { YogaContext, YogaServer } from './yoga.ts'

export interface GraphQLRequest {
  caller: Caller
  requestId: string
  method: string
  search: string
  /** The media types of `Accept` that an answer can have. */
  accept: string
  /** Whether `Accept` allows server-sent events: subscriptions need that. */
  acceptsEvents?: boolean
  body: Uint8Array<ArrayBuffer> | undefined
  /** A document of the service itself, which is run even where callers must send persisted documents. */
  document?: string | undefined
  /** Lists in the results of a mutation are replaced by their number of items and the first ones: this many. */
  shownItems?: number | undefined
  headers: RequestHeaders
}

export interface PreparedRequest {
  operation: PreparedOperation
  cost: number
  /** Undefined for a mutation. */
  staleness: Staleness | undefined
  /** How much a mutation may change. */
  maxAffected: number | undefined
  run(context: Context): Promise<HttpResponse>
  /** Opens a subscription, or returns its errors; undefined for other operations. */
  subscribe:
    | ((newContext: () => Context) => Promise<{ results: AsyncIterable<string> } | { answer: HttpResponse }>)
    | undefined
}

/** Makes the function that prepares the operation of a request, or renders its errors. Throws `HttpError`. */
export function createRequestPreparer(engine: Engine, persisted: PersistedDocuments | undefined, log: Logger) {
  const yoga = lazy(async () => (await import('./yoga.ts')).createYogaServer(engine.schema))
  const prepare = (request: GraphQLRequest, type: MediaType): PreparedRequest => {
    const { caller } = request
    const shown = (errors: readonly unknown[]) => publicErrors(errors, log, request.requestId)
    const params = request.body ? paramsOfBody(request.body) : paramsOfSearch(request.search)
    const query = request.document ?? documentOf(params, persisted)
    const { operationName, variables } = params
    const operation = engine.prepare(query, operationName, caller)
    if (operation.isMutation && request.method === 'GET')
      throw methodNotAllowed('POST', 'a mutation must be sent by POST')
    const requested = operation.cost(variables)
    const limit = limitsOf(caller).cost
    if (requested > limit) throw tooCostly(limit, requested)
    if (operation.isMutation && operation.size.rootFields > 1) requireFewItems(operation.document, variables)
    const { staleness, maxAffected } = readPreferences(operation, request.headers)
    const cost = { requested, limit }
    const run = async (context: Context) => {
      const result = async () => {
        const { data: whole, errors } = await operation.run(variables, context)
        const data = request.shownItems === undefined ? whole : shortened(whole, request.shownItems)
        if (operation.mayRepeat && !operation.isMutation) requireShort(data)
        const extensions = { cost, ...(context.affected && { affected: context.affected.count }) }
        return { data, errors: errors && shown(errors), extensions }
      }
      // Most requests are JSON by POST. Without yoga they take less time.
      if (request.method === 'POST' && type === json)
        return answerOf(type, await result(), preferenceApplied(maxAffected))
      const named = { query, ...(operationName && { operationName }) }
      const answer = await answerByYoga(await yoga(), request, { params: named, document: operation.document, result })
      // The schema is large and seldom changes: a client may cache it and revalidate it.
      const isCacheable = request.method === 'GET' && operation.size.introspectionDepth > 0
      const cacheControl = isCacheable && { 'Cache-Control': 'private, no-cache' }
      return { ...answer, headers: { ...answer.headers, ...preferenceApplied(maxAffected), ...cacheControl } }
    }
    const subscribe =
      operation.subscribe &&
      (async (newContext: () => Context) => {
        const opened = await operation.subscribe?.(variables, newContext())
        if (opened && 'events' in opened) return { results: resultsOf(opened, operation.mayRepeat, newContext, shown) }
        const errors = shown(opened?.errors ?? [])
        return { answer: requestError(errors[0]?.extensions.code ?? 'invalid_request', errors, type) }
      })
    return { operation, cost: requested, staleness, maxAffected, run, subscribe }
  }
  return (request: GraphQLRequest): PreparedRequest | HttpResponse => {
    const type = mediaTypeOf(request.accept)
    if (request.method !== 'GET' && request.method !== 'POST')
      throw methodNotAllowed('GET, HEAD, POST, OPTIONS', 'the method must be GET or POST')
    try {
      return prepare(request, type)
    } catch (thrown) {
      if (thrown instanceof HttpError) throw thrown
      if (thrown instanceof PersistedQueryMissing) return missing(thrown, type)
      const causes: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown]
      const errors = publicErrors(causes, log, request.requestId)
      if (thrown instanceof CatalogueError) return requestError(thrown.code, errors, type)
      if (thrown instanceof InvalidVariables) return requestError('invalid_request', errors, type)
      if (causes.every((cause) => cause instanceof GraphQLError)) return answerOf(type, { errors })
      return requestError('internal_error', errors, type)
    }
  }
}

/** Reads the preferences of the headers. Throws `invalid_request`, also for max-affected with several fields. */
function readPreferences({ isMutation, size }: PreparedOperation, headers: RequestHeaders) {
  const read = isMutation ? readWritePreferences(headers) : readStaleness(headers)
  if (read.faults.length > 0) throw invalidRequest(read.faults)
  if (!('maxAffected' in read)) return { staleness: read, maxAffected: undefined }
  const { maxAffected } = read
  if (maxAffected !== undefined && size.rootFields > 1) {
    const details = `a mutation with max-affected must have one field; got ${size.rootFields}`
    throw invalidRequest([{ details, field: 'Prefer' }])
  }
  return { staleness: undefined, maxAffected }
}

/** The results of a mutation, each list as `{ count, first }`. */
function shortened(data: ExecutionResult['data'], shownItems: number) {
  const each = (given: object, change: (value: unknown) => unknown) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, change(value)]))
  const list = (value: unknown) =>
    Array.isArray(value) ? { count: value.length, first: value.slice(0, shownItems) } : value
  return data && each(data, (result) => (isObject(result) ? each(result, list) : result))
}

async function answerByYoga(yoga: YogaServer, { method, accept }: GraphQLRequest, context: YogaContext) {
  const response = await yoga.fetch('http://localhost/graphql', { method, headers: { accept } }, context)
  const type = response.headers.get('content-type') ?? json
  return { status: response.status, headers: { 'Content-Type': type }, body: await response.text() }
}

const json = 'application/json'
const strictJson = 'application/graphql-response+json'
type MediaType = typeof json | typeof strictJson

/** The first of the accepted types; JSON for any. */
function mediaTypeOf(accept: string): MediaType {
  const [first] = accept.split(',')
  return first?.trim() === strictJson ? strictJson : json
}

/** The answer to a valid request; without data nothing was run. */
function answerOf(
  type: MediaType,
  result: { data?: unknown; errors?: unknown; extensions?: unknown },
  headers: Record<string, string> = {},
) {
  const status = result.data === undefined && type === strictJson ? 400 : 200
  return { status, headers: { 'Content-Type': `${type}; charset=utf-8`, ...headers }, body: JSON.stringify(result) }
}

/** With the status of a success, which clients expect for this error alone. */
function missing({ message, code }: PersistedQueryMissing, type: MediaType) {
  return { ...answerOf(type, { errors: [{ message, extensions: { code } }] }), status: 200 }
}

function requestError(reason: Reason, errors: readonly unknown[], type: MediaType) {
  return { ...answerOf(type, { errors }), status: statusOf(reason) }
}

function methodNotAllowed(allow: string, details: string): HttpError {
  return new HttpError('method_not_allowed', details, { Allow: allow })
}
