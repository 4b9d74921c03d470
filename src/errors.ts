/** Why a request, or one item of it, failed: the stable codes that both APIs answer with. */
export type Reason =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'store_not_found'
  | 'request_not_found'
  | 'method_not_allowed'
  | 'idempotency_conflict'
  | 'not_revertible'
  | 'changes_disabled'
  | 'cursor_expired'
  | 'too_many_affected'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'quota_exceeded'
  | 'internal_error'
  | 'downstream_unavailable'
  | 'unavailable'
  | 'asset_not_found'
  | 'link_not_found'
  | 'selector_required'
  | 'asset_conflict'

/** One thing that is wrong with a request: `details` says what was expected and what came. */
export interface Fault {
  reason: Reason
  details: string
  /** Where it lies, as the caller named it: `storeName`, `region[1]`. */
  field?: string
  /** The item of a list that it lies in, from 0. */
  index?: number
}

type GivenFaults = string | readonly (Omit<Fault, 'reason'> & { reason?: Reason })[]

/** An expected failure of a whole request. `code`, the reason, decides the HTTP status; `faults` lists every fault. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError'
  readonly code: Reason
  readonly faults: readonly Fault[]

  /** The faults, or the details of the only one. A fault without a reason of its own has the error's. */
  constructor(code: Reason, given: GivenFaults, options?: ErrorOptions) {
    const faults = typeof given === 'string' ? [{ details: given }] : given
    super(faults.map((fault) => fault.details).join('; '), options)
    this.code = code
    this.faults = faults.map((fault) => ({ reason: code, ...fault }))
  }
}

/** The request cannot be carried out: one fault or several. */
export function invalidRequest(faults: GivenFaults): CatalogueError {
  return new CatalogueError('invalid_request', faults)
}

/** There is no such store, or the caller may not see it: the two look alike. */
export function storeNotFound(field: string, storeUuid: string): CatalogueError {
  const details = `there is no store ${JSON.stringify(storeUuid)}`
  return new CatalogueError('store_not_found', [{ details, field }])
}

/** The caller's token is not good for this, whatever the request says. */
export function forbidden(details: string): CatalogueError {
  return new CatalogueError('forbidden', details)
}

/** The problem of a request whose work was ended. */
export const unfinished = 'the service could not finish a request of this size'

/** The problem of a request whose dependency does not answer. For the listing the database is such a source too. */
export const unreachable = {
  unavailable: 'the service cannot reach its database',
  downstream_unavailable: 'the listing cannot reach its source',
}

/** A dependency does not answer now; the same request may succeed later. `problem`: why, where that is known. */
export function unavailable(code: keyof typeof unreachable, cause: unknown, problem = unreachable[code]) {
  return new CatalogueError(code, `${problem}; retry later`, { cause })
}
