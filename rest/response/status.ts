/** The HTTP status of each reason that an error answer can have (decisions: Envelope). */
export const httpStatus: Readonly<Record<string, number>> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  store_not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  downstream_unavailable: 502,
  unavailable: 503,
}
