import { failure } from '../answers.ts'
import type { Endpoint } from '../endpoint.ts'
import { httpStatus } from '../status.ts'
import type { Example } from './examples.ts'
import type { Json, Schemas } from './schemas.ts'

/** What each reason of an error answer means. One that is not here is not documented, which a test would tell. */
export const situations: Record<string, string> = {
  invalid_request: 'A value is missing, malformed or out of range, the body is no JSON, or a parameter came twice.',
  unauthorized: 'There is no token, or one that is unknown, expired or revoked.',
  forbidden: 'The token lacks the scope.',
  not_found: 'There is no such path.',
  store_not_found: 'There is no such store, or the token may not see it.',
  method_not_allowed: 'The path does not serve the method.',
  idempotency_conflict: 'The `Idempotency-Key` came with another body before.',
  payload_too_large: 'The body has more than 10 MiB or 10,000 items.',
  unsupported_media_type: 'The body is not `application/json`.',
  rate_limited: 'The token has used up its requests of this minute.',
  internal_error: 'The service made a mistake, which it has logged.',
  downstream_unavailable: 'The filtering service is down, slow, or answers nonsense.',
  unavailable: 'The database cannot be reached, or the service is shutting down.',
}

/** Reasons that never are an answer of a documented operation: its path and method exist. */
const elsewhere = ['not_found', 'method_not_allowed']

/** The reasons with which an endpoint can refuse. */
function reasonsOf({ takesBody, dependsOnFilter, namesStore }: Row): string[] {
  const absent = [
    ...elsewhere,
    ...(takesBody ? [] : ['idempotency_conflict', 'payload_too_large', 'unsupported_media_type']),
    ...(dependsOnFilter ? [] : ['downstream_unavailable']),
    ...(namesStore ? [] : ['store_not_found']),
  ]
  return Object.keys(httpStatus).filter((reason) => !absent.includes(reason))
}

type Row = Pick<Endpoint, 'takesBody' | 'dependsOnFilter'> & { namesStore: boolean }

const headerRefs = {
  'X-Request-Id': { $ref: '#/components/headers/XRequestId' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
}
const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }

/** Headers that answers of a status have besides the request's id. */
const extraHeaders: Record<number, Json> = {
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } },
  429: retryAfter,
  503: retryAfter,
}

/** The error answers of an endpoint: status to a reference into the components. */
export function errorResponses(row: Row): Json {
  const statuses = new Set(reasonsOf(row).map((reason) => httpStatus[reason] ?? 500))
  return Object.fromEntries(
    [...statuses]
      .toSorted((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
  )
}

/** The components that `errorResponses` refers to: one answer for each status, with its reasons and examples. */
export function responseComponents(schemas: Schemas, examples: readonly Example[]): Json {
  const documented = Object.entries(httpStatus).filter(([reason]) => !elsewhere.includes(reason))
  const byStatus = Map.groupBy(documented, ([, status]) => status)
  const schema = schemas.named('Error', failure)
  return Object.fromEntries(
    [...byStatus].map(([status, rows]) => {
      const description = rows.map(([reason]) => `\`${reason}\`: ${situations[reason] ?? ''}`).join(' ')
      const shown = examples.filter((example) => example.status === status)
      const content = { 'application/json': { schema, ...(shown.length > 0 && { examples: named(shown) }) } }
      return [nameOf(status), { description, headers: { ...headerRefs, ...extraHeaders[status] }, content }]
    }),
  )
}

const taggedHeaders = { ...headerRefs, ETag: { $ref: '#/components/headers/ETag' } }

/** The answer to who has the current one already. */
export const notModified: Json = { description: 'The answer is still what the client has.', headers: taggedHeaders }

/** The answer of success of an endpoint, with a tag if it has versions. */
export function successResponse(schema: Json, examples: readonly Example[], isTagged: boolean): Json {
  const content = { 'application/json': { schema, ...(examples.length > 0 && { examples: named(examples) }) } }
  return { description: 'Done.', headers: isTagged ? taggedHeaders : headerRefs, content }
}

function named(examples: readonly Example[]): Json {
  return Object.fromEntries(examples.map(({ name, summary, answer }) => [name, { summary, value: answer }]))
}

const names: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'StoreNotFound',
  409: 'Conflict',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'DownstreamUnavailable',
  503: 'Unavailable',
}

function nameOf(status: number): string {
  return names[status] ?? `Status${status}`
}
