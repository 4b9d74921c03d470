import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { ExecutionResult, GraphQLError } from 'graphql'
import type { AnswerCache } from './answer-cache.ts'
import type { Endpoint } from './endpoint.ts'
import { type ErrorInfo, errorEnvelope, sealed, toJson } from './envelope.ts'
import { readBody } from './read-body.ts'
import { readRequest } from './read-request.ts'
import { RestError } from './rest-error.ts'
import type { Enumerations } from './shapes.ts'
import { httpStatus } from './status.ts'
import { answerVersioned, isVersioned } from './versioned.ts'

/** A request, whatever server it came through. */
export interface RestRequest {
  method: string
  /** The path as it came, percent-encoding and all: `/v1/assets`. */
  path: string
  /** The query string without its question mark. */
  search: string
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  /** What `status.request_id` shall say. */
  requestId: string
  /** Reads the body; `too large` when it has more than the service takes. */
  body(): Promise<Uint8Array<ArrayBuffer> | 'too large'>
}

/** A response for whatever server: `body` is JSON text, or its bytes in pieces, absent where HTTP has none. */
export interface RestResponse {
  status: number
  headers: Record<string, string>
  body?: string | readonly Buffer[]
}

/** What the façade needs of the service behind it. `Caller` is whoever the token stands for. */
export interface RestServices<Caller> {
  authenticate(authorization: string | undefined): Promise<Caller | undefined>
  enumerations(): Enumerations
  /** Throws when the caller may not run the document, whatever its variables. */
  authorize(document: TypedDocumentNode<unknown, Record<string, unknown>>, caller: Caller): void
  execute: Execute<Caller>
  /** Does the work when what it asks first can be asked at once. */
  whenItsTurn(work: () => Promise<RestResponse>): Promise<RestResponse>
  /** Answers a request if its body, or what was read for it, is too long to be worked on here; undefined leaves it. */
  elsewhere(
    request: RestRequest,
    caller: Caller,
    body: Uint8Array<ArrayBuffer> | undefined,
  ): Promise<RestResponse> | undefined
  /**
   * Does a write with an `Idempotency-Key` once: `work` gets what executes within the transaction that keeps its answer. Returns that answer, or the one
   * that is kept; throws when the key came with another body before.
   */
  once(
    write: { key: string; token: string; method: string; target: string; body: Uint8Array },
    work: (execute: Execute<Caller>) => Promise<string>,
  ): Promise<string>
  /** Holds answers that were rendered, as long as they stand. */
  answers: AnswerCache
  /** Translates what was thrown, unless it is a `RestError`, into the error to answer with. */
  errorOf(thrown: unknown, requestId: string): GraphQLError
}

type Execute<Caller> = (
  document: TypedDocumentNode<unknown, Record<string, unknown>>,
  variables: Record<string, unknown>,
  request: { caller: Caller; requestId: string },
) => Promise<ExecutionResult>

const prefix = '/v1'

/** The façade as a function: every answer, good or bad, leaves through it in the spec's envelope. */
export function createHandler<Caller>(
  endpoints: readonly Endpoint[],
  services: RestServices<Caller>,
): (request: RestRequest) => Promise<RestResponse> {
  const routes = Map.groupBy(endpoints, (endpoint) => prefix + endpoint.path)
  return async (request) => {
    try {
      return await answer(request, routes.get(request.path), services)
    } catch (thrown) {
      const error = thrown instanceof RestError ? thrown : restError([services.errorOf(thrown, request.requestId)])
      return errorResponse(asSpecified(error, request, routes.get(request.path)), request.requestId)
    }
  }
}

/** For the listing, a database that does not answer is its downstream (spec: HTTP mapping for GET /assets), even for the token's sake. */
function asSpecified(error: RestError, request: RestRequest, route: readonly Endpoint[] | undefined): RestError {
  const endpoint = route?.find((row) => row.method === (request.method === 'HEAD' ? 'GET' : request.method))
  if (error.reason !== 'unavailable' || !endpoint?.dependsOnFilter) return error
  return new RestError('downstream_unavailable', 'the listing cannot reach its source at the moment; try again')
}

/** The answer to an error, wherever it was found: also before there is a request to speak of. */
export function errorResponse(error: RestError, requestId: string): RestResponse & { body: string } {
  const status = httpStatus[error.reason] ?? 500
  const retry: Record<string, string> = status === 503 ? { 'Retry-After': '1' } : {}
  return { status, headers: { ...retry, ...error.headers }, body: errorEnvelope(requestId, error.errorInfo) }
}

async function answer<Caller>(
  request: RestRequest,
  route: readonly Endpoint[] | undefined,
  services: RestServices<Caller>,
): Promise<RestResponse> {
  const caller = await services.authenticate(request.header('authorization'))
  if (caller === undefined) throw unauthorized
  if (!route) throw new RestError('not_found', `there is no ${prefix} path ${JSON.stringify(request.path)}`)
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: allowedMethods(route) } }
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const endpoint = route.find((row) => row.method === method)
  if (!endpoint) {
    const allow = allowedMethods(route)
    const details = `${request.path} takes ${allow}; got ${request.method}`
    throw new RestError('method_not_allowed', details, { Allow: allow })
  }
  services.authorize(endpoint.document, caller)
  const body = endpoint.takesBody ? await readBody(request) : undefined
  const elsewhere = () => services.elsewhere(request, caller, body)
  const orElsewhere = (thrown: unknown) => elsewhere() ?? Promise.reject(thrown)
  return elsewhere() ?? answerHere(request, endpoint, caller, body, services).catch(orElsewhere)
}

async function answerHere<Caller>(
  request: RestRequest,
  endpoint: Endpoint,
  caller: Caller,
  body: Uint8Array<ArrayBuffer> | undefined,
  services: RestServices<Caller>,
): Promise<RestResponse> {
  const { requestId } = request
  const { variables, keyed } = readRequest(request, endpoint, services.enumerations(), body)
  const running =
    (execute: Execute<Caller>) => async (document: Endpoint['document'], given: Record<string, unknown>) => {
      const { data, errors } = await execute(document, given, { caller, requestId })
      if (errors) throw restError(errors)
      return data
    }
  if (isVersioned(endpoint)) {
    return services.whenItsTurn(() =>
      answerVersioned(endpoint, request, variables, services.answers, running(services.execute)),
    )
  }
  const work = async (execute: Execute<Caller>) =>
    toJson(endpoint.data(await running(execute)(endpoint.document, variables)))
  const data = keyed ? await services.once(keyed, work) : await work(services.execute)
  return { status: 200, headers: {}, body: sealed(0, endpoint.success, requestId, data) }
}

/** The answer to whoever has no valid token. */
export const unauthorized = new RestError(
  'unauthorized',
  'a valid token is required: send the header Authorization: Bearer <ACCESS_TOKEN>',
  {
    'WWW-Authenticate': 'Bearer',
  },
)

function allowedMethods(route: readonly Endpoint[]): string {
  const methods = route.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...methods, 'OPTIONS'].join(', ')
}

/** GraphQL errors as one error of the façade: the first one's code decides, the entries are those of all. */
function restError(errors: readonly GraphQLError[]): RestError {
  const [first] = errors
  const reason = String(first?.extensions.code ?? 'internal_error')
  const entries = errors.flatMap(
    (error) => (error.extensions.errorInfo as ErrorInfo[] | undefined) ?? [{ reason, details: error.message }],
  )
  return new RestError(reason, entries.map(inWordsOfRest))
}

/** Fields have the names of REST here: `store_uuid` for `storeUuid`. */
function inWordsOfRest(entry: ErrorInfo): ErrorInfo {
  if (entry.field === undefined) return entry
  return { ...entry, field: entry.field.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) }
}
