import type { Endpoint } from '../endpoint.ts'
import { failure } from '../response/data-shapes.ts'
import { httpStatus } from '../response/status.ts'
import type { Example } from './examples.ts'
import type { Json, Schemas } from './schemas.ts'

/** The meaning of each reason of an error answer. A test fails if a reason is missing here. */
export const situations: Record<string, string> = {
  invalid_request: 'A value is missing, malformed or out of range, the body is not JSON, or a parameter is repeated.',
  unauthorized: 'The token is missing, unknown, expired or revoked.',
  forbidden: 'The token lacks the scope.',
  not_found: 'The path does not exist.',
  store_not_found: 'The store does not exist, or the token has no access to it.',
  method_not_allowed: 'The path does not support the method.',
  idempotency_conflict: 'The `Idempotency-Key` was used with another body.',
  payload_too_large: 'The body has more than 10 MiB or 10,000 items.',
  unsupported_media_type: 'The body is not `application/json`.',
  rate_limited: 'The token has exceeded its rate limit.',
  internal_error: 'An unexpected error of the service. It is logged with the request id.',
  downstream_unavailable: 'The filtering service is unreachable, slow, or returns an invalid answer.',
  unavailable: 'The database is unreachable, or the service is shutting down.',
}

/** Reasons that no documented operation can return, because its path and method exist. */
const undocumented = ['not_found', 'method_not_allowed']

/** The reasons that an endpoint can return. */
function reasonsOf({ takesBody, dependsOnFilter, namesStore }: Row): string[] {
  const absent = [
    ...undocumented,
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

/** Additional headers of the answers of a status. */
const extraHeaders: Record<number, Json> = {
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } },
  429: retryAfter,
  503: retryAfter,
}

/** The error answers of an endpoint: a map from HTTP status to a reference into the components. */
export function errorResponses(row: Row): Json {
  const statuses = new Set(reasonsOf(row).map((reason) => httpStatus[reason] ?? 500))
  return Object.fromEntries(
    [...statuses]
      .toSorted((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
  )
}

/** The components that `errorResponses` refers to: one answer per status, with its reasons and examples. */
export function responseComponents(schemas: Schemas, examples: readonly Example[]): Json {
  const documented = Object.entries(httpStatus).filter(([reason]) => !undocumented.includes(reason))
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

/** The answer to a request whose `If-None-Match` is current. */
export const notModified: Json = {
  description: 'The answer is unchanged since the given `ETag`.',
  headers: taggedHeaders,
}

/** The successful answer of an endpoint, with an ETag if the endpoint has versions. */
export function successResponse(schema: Json, examples: readonly Example[], isTagged: boolean): Json {
  const content = { 'application/json': { schema, ...(examples.length > 0 && { examples: named(examples) }) } }
  return { description: 'Success.', headers: isTagged ? taggedHeaders : headerRefs, content }
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
