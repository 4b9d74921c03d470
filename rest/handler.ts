import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { ExecutionResult, GraphQLError } from 'graphql'
import type { Endpoint } from './endpoint.ts'
import { type ErrorInfo, envelope, errorEnvelope } from './envelope.ts'
import { faultsOf } from './faults.ts'
import { parseQuery } from './query.ts'
import { RestError } from './rest-error.ts'
import type { Enumerations } from './shapes.ts'
import { httpStatus } from './status.ts'

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
  body(): Promise<Uint8Array | 'too large'>
}

/** A response for whatever server: `body` is JSON text, absent where HTTP has none. */
export interface RestResponse {
  status: number
  headers: Record<string, string>
  body?: string
}

/** What the façade needs of the service behind it. `Caller` is whoever the token stands for. */
export interface RestServices<Caller> {
  authenticate(authorization: string | undefined): Promise<Caller | undefined>
  enumerations(): Enumerations
  /** Throws when the caller may not run the document, whatever its variables. */
  authorize(document: TypedDocumentNode<unknown, Record<string, unknown>>, caller: Caller): void
  execute(
    document: TypedDocumentNode<unknown, Record<string, unknown>>,
    variables: Record<string, unknown>,
    request: { caller: Caller; requestId: string },
  ): Promise<ExecutionResult>
  /** Translates what was thrown, unless it is a `RestError`, into the error to answer with. */
  errorOf(thrown: unknown, requestId: string): GraphQLError
}

const prefix = '/v1'
const mostItems = 10_000

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
export function errorResponse(error: RestError, requestId: string): RestResponse {
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
  const allow = allowedMethods(route)
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: allow } }
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const endpoint = route.find((row) => row.method === method)
  if (!endpoint) {
    const details = `${request.path} takes ${allow}; got ${request.method}`
    throw new RestError('method_not_allowed', details, { Allow: allow })
  }
  services.authorize(endpoint.document, caller)
  const { enumerations, requestId } = { enumerations: services.enumerations(), requestId: request.requestId }
  const variables = await readVariables(request, endpoint, enumerations)
  const { data, errors } = await services.execute(endpoint.document, variables, { caller, requestId })
  if (errors) throw restError(errors)
  return { status: 200, headers: {}, body: envelope(0, endpoint.success, requestId, endpoint.data(data)) }
}

const unauthorized = new RestError(
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

/** Checks query and body against the endpoint's shapes and translates them; throws with every fault of both. */
async function readVariables(request: RestRequest, endpoint: Endpoint, enumerations: Enumerations) {
  const shapes = endpoint.shapes(enumerations)
  const { values, faults } = parseQuery(request.search, new Set(Object.keys(shapes.query.shape)), endpoint.repeatable)
  const query = shapes.query.safeParse(values)
  if (!query.success) {
    const named = new Set(faults.map((fault) => fault.field))
    faults.push(...faultsOf(query.error, values, '').filter((fault) => !named.has(fault.field)))
  }
  let body: unknown
  if (endpoint.takesBody) {
    const read = await readJson(request)
    if ('fault' in read) faults.push(read.fault)
    else {
      body = read.value
      const items = itemsOf(body)
      if (items > mostItems) {
        throw new RestError('payload_too_large', `body must have at most ${mostItems} items; got ${items}`)
      }
      const checked = shapes.body?.safeParse(body)
      if (checked && !checked.success) faults.push(...faultsOf(checked.error, body, 'body'))
    }
  }
  if (faults.length > 0) throw new RestError('invalid_request', faults)
  return endpoint.variables(query.data, body)
}

/** How many items a body has: those of its list, or of the longest list in its object. Each could be a fault of its own. */
function itemsOf(body: unknown): number {
  if (Array.isArray(body)) return body.length
  if (typeof body !== 'object' || body === null) return 0
  return Object.values(body).reduce((most, value) => (Array.isArray(value) ? Math.max(most, value.length) : most), 0)
}

async function readJson(request: RestRequest): Promise<{ value: unknown } | { fault: ErrorInfo }> {
  const type = request.header('content-type')
  if (type !== undefined && !isJson(type)) throw unsupported(type)
  const encoding = request.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') throw unsupported(encoding)
  const bytes = await request.body()
  if (bytes === 'too large') throw new RestError('payload_too_large', 'body must have at most 10 MiB')
  if (bytes.length === 0) return { fault: bodyFault('is required') }
  if (type === undefined) throw unsupported('no Content-Type')
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (error) {
    const where = error instanceof Error ? /at position \d+/.exec(error.message) : null
    return { fault: bodyFault(`must be JSON in UTF-8; it cannot be read${where ? ` ${where[0]}` : ''}`) }
  }
}

function isJson(contentType: string): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i.test(contentType)
}

function unsupported(got: string): RestError {
  return new RestError('unsupported_media_type', `body must be application/json in UTF-8; got ${got}`)
}

function bodyFault(problem: string): ErrorInfo {
  return { reason: 'invalid_request', details: `body ${problem}`, field: 'body' }
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
  return { ...entry, field: entry.field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) }
}
