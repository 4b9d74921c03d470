/** A reason of error answers: its HTTP status, and its description in the OpenAPI document. */
interface ErrorReason {
  reason: string
  status: number
  /** The name of the answer in the document. */
  answer: string
  /**
   * The operations that have the answer: all, writes, those that name a store, those that use the filtering service,
   * those that list it in `extraReasons` (instead of another one with the same status), or none of the document.
   */
  on: 'all' | 'writes' | 'stores' | 'filtered' | 'named' | 'none'
  meaning: string
}

export const errorReasons: readonly ErrorReason[] = [
  {
    ...{ reason: 'invalid_request', status: 400, answer: 'BadRequest', on: 'all' },
    meaning: 'A value is missing, malformed or out of range, the body is not JSON, or a parameter is repeated.',
  },
  {
    ...{ reason: 'unauthorized', status: 401, answer: 'Unauthorized', on: 'all' },
    meaning: 'The token is missing, unknown, expired or revoked.',
  },
  {
    ...{ reason: 'forbidden', status: 403, answer: 'Forbidden', on: 'all' },
    meaning: 'The token lacks the scope.',
  },
  {
    ...{ reason: 'not_found', status: 404, answer: 'NotFound', on: 'none' },
    meaning: 'The path does not exist.',
  },
  {
    ...{ reason: 'store_not_found', status: 404, answer: 'StoreNotFound', on: 'stores' },
    meaning: 'The store does not exist, or the token has no access to it.',
  },
  {
    ...{ reason: 'request_not_found', status: 404, answer: 'RequestNotFound', on: 'named' },
    meaning: 'No change with this request id is recorded; or `store_not_found`.',
  },
  {
    ...{ reason: 'product_not_found', status: 404, answer: 'ProductNotFound', on: 'named' },
    meaning: 'The store has no such product, or had none at that time; or `store_not_found`.',
  },
  {
    ...{ reason: 'method_not_allowed', status: 405, answer: 'MethodNotAllowed', on: 'none' },
    meaning: 'The path does not support the method.',
  },
  {
    ...{ reason: 'idempotency_conflict', status: 409, answer: 'Conflict', on: 'writes' },
    meaning: 'The `Idempotency-Key` was used with another body.',
  },
  {
    ...{ reason: 'changes_disabled', status: 409, answer: 'ChangesDisabled', on: 'named' },
    meaning: 'The service records no changes (`CHANGES_RETENTION` is 0).',
  },
  {
    ...{ reason: 'not_revertible', status: 409, answer: 'NotRevertible', on: 'named' },
    meaning:
      'Later requests changed the same values, or the request is reverted already; or `idempotency_conflict` or `changes_disabled`.',
  },
  {
    ...{ reason: 'cursor_expired', status: 410, answer: 'CursorExpired', on: 'named' },
    meaning:
      'The changes since the cursor are no longer kept, or the cursor belongs to another database. `details` names the oldest valid cursor. Read everything once, then continue from `after=latest`.',
  },
  {
    ...{ reason: 'too_many_affected', status: 412, answer: 'TooManyAffected', on: 'writes' },
    meaning: 'The write would change more than `Prefer: max-affected` allows. Nothing was changed.',
  },
  {
    ...{ reason: 'payload_too_large', status: 413, answer: 'ContentTooLarge', on: 'writes' },
    meaning: [
      'The request exceeds a limit:\n',
      '- body: 10 MiB',
      '- items: 10,000',
      '- members of a list or object: 20,000',
      '- members of all lists and objects: 600,000',
      '- levels of nesting: 64',
      '- steps of the patterns of its attributes',
    ].join('\n'),
  },
  {
    ...{ reason: 'unsupported_media_type', status: 415, answer: 'UnsupportedMediaType', on: 'writes' },
    meaning: 'The body is not `application/json`.',
  },
  {
    ...{ reason: 'rate_limited', status: 429, answer: 'TooManyRequests', on: 'all' },
    meaning:
      'The token has exceeded its rate limit; or `quota_exceeded`: the answers stored for `Idempotency-Key`s of its stores take 64 MiB.',
  },
  {
    ...{ reason: 'quota_exceeded', status: 429, answer: 'QuotaExceeded', on: 'none' },
    meaning: 'The store has used up a quota.',
  },
  {
    ...{ reason: 'internal_error', status: 500, answer: 'InternalError', on: 'all' },
    meaning: 'An unexpected error of the service. It is logged with the request id.',
  },
  {
    ...{ reason: 'downstream_unavailable', status: 502, answer: 'DownstreamUnavailable', on: 'filtered' },
    meaning: 'The filtering service is unreachable, slow, or returns an invalid answer.',
  },
  {
    ...{ reason: 'unavailable', status: 503, answer: 'Unavailable', on: 'all' },
    meaning: 'The database is unreachable, or the service is shutting down.',
  },
]

export const httpStatus: Readonly<Record<string, number>> = Object.fromEntries(
  errorReasons.map(({ reason, status }) => [reason, status]),
)
