/** A reason that error answers have, with its HTTP status, and what the OpenAPI document says of it. */
type Row = readonly [
  reason: string,
  status: number,
  /** The name of the answer; null where no documented operation has it, because its path and method exist. */
  answer: string | null,
  meaning: string,
]

export const errorReasons: readonly Row[] = [
  [
    'invalid_request',
    400,
    'BadRequest',
    'A value is missing, malformed or out of range, the body is not JSON, or a parameter is repeated.',
  ],
  ['unauthorized', 401, 'Unauthorized', 'The token is missing, unknown, expired or revoked.'],
  ['forbidden', 403, 'Forbidden', 'The token lacks the scope.'],
  ['not_found', 404, null, 'The path does not exist.'],
  ['store_not_found', 404, 'StoreNotFound', 'The store does not exist, or the token has no access to it.'],
  [
    'request_not_found',
    404,
    'RequestNotFound',
    'Nothing was changed under this id, or it is no longer recorded; or `store_not_found`.',
  ],
  ['product_not_found', 404, 'ProductNotFound', 'The store has, or had then, no such product; or `store_not_found`.'],
  ['method_not_allowed', 405, null, 'The path does not support the method.'],
  ['idempotency_conflict', 409, 'Conflict', 'The `Idempotency-Key` was used with another body.'],
  ['changes_disabled', 409, 'ChangesDisabled', 'The service records no changes (`CHANGES_RETENTION` is 0).'],
  [
    'not_revertible',
    409,
    'NotRevertible',
    'What the request changed has changed since, or it is reverted already; or `idempotency_conflict` or `changes_disabled`.',
  ],
  [
    'cursor_expired',
    410,
    'CursorExpired',
    'Changes since the cursor are no longer kept, or it is of another database. The details have the oldest cursor that is valid: after a full read, go on from `after=latest`.',
  ],
  [
    'too_many_affected',
    412,
    'TooManyAffected',
    'The write would change more than `Prefer: max-affected` allows. Nothing was changed.',
  ],
  [
    'payload_too_large',
    413,
    'ContentTooLarge',
    'The body has more than 10 MiB, 10,000 items, 20,000 members in a list or object, 600,000 members in all of them, or 64 levels, or the patterns of its attributes take too many steps.',
  ],
  ['unsupported_media_type', 415, 'UnsupportedMediaType', 'The body is not `application/json`.'],
  [
    'rate_limited',
    429,
    'TooManyRequests',
    'The token has exceeded its rate limit; or `quota_exceeded`: the answers kept for `Idempotency-Key`s of its stores take 64 MiB.',
  ],
  ['quota_exceeded', 429, null, 'The store has used up a quota.'],
  ['internal_error', 500, 'InternalError', 'An unexpected error of the service. It is logged with the request id.'],
  [
    'downstream_unavailable',
    502,
    'DownstreamUnavailable',
    'The filtering service is unreachable, slow, or returns an invalid answer.',
  ],
  ['unavailable', 503, 'Unavailable', 'The database is unreachable, or the service is shutting down.'],
]

/** Only the endpoints that name them have these, instead of others with the same status. */
export const specialReasons = [
  'request_not_found',
  'product_not_found',
  'changes_disabled',
  'not_revertible',
  'cursor_expired',
]

export const httpStatus: Readonly<Record<string, number>> = Object.fromEntries(errorReasons)
