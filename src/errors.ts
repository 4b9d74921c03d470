import { hasAtMost } from './text.ts'

/** The HTTP status of each reason why a whole request fails. The reasons are stable codes of both APIs. */
export const httpStatus = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  store_not_found: 404,
  request_not_found: 404,
  product_not_found: 404,
  webhook_not_found: 404,
  import_not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  changes_disabled: 409,
  not_revertible: 409,
  plan_outdated: 409,
  cursor_expired: 410,
  too_many_affected: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  quota_exceeded: 429,
  internal_error: 500,
  downstream_unavailable: 502,
  unavailable: 503,
} as const

export type RequestReason = keyof typeof httpStatus

/** Why a request or one of its items failed. */
export type Reason = RequestReason | 'asset_not_found' | 'link_not_found' | 'selector_required' | 'asset_conflict'

/** The HTTP status of an error; 500 for a reason that only items have. */
export function statusOf(reason: Reason): number {
  return (httpStatus as Partial<Record<Reason, number>>)[reason] ?? 500
}

/** One fault of a request: `details` has the expected and the received value. */
export interface Fault {
  reason: Reason
  details: string
  /** The field as the caller named it: `storeName`, `region[1]`. */
  field?: string
  /** The index of the item in its list, from 0. */
  index?: number
}

/** An error as callers see it, in the form of a GraphQL error. */
export interface PublicError {
  message: string
  extensions: { code: Reason; errorInfo?: readonly Fault[] }
}

type GivenFaults = string | readonly (Omit<Fault, 'reason'> & { reason?: Reason })[]

interface ErrorSource extends ErrorOptions {
  /** The setting of the operator that would permit what is refused. */
  setting?: 'OUTGOING_ALLOW' | undefined
}

/** An expected failure of a whole request. `code`, the reason, decides the HTTP status; `faults` lists every fault. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError'
  readonly code: Reason
  readonly faults: readonly Fault[]
  readonly setting: ErrorSource['setting']

  /** Takes the faults, or the details of the only one. `code` is the default reason of a fault. */
  constructor(code: Reason, given: GivenFaults, options: ErrorSource = {}) {
    const faults = typeof given === 'string' ? [{ details: given }] : given
    super(faults.map((fault) => fault.details).join('; '), options)
    this.code = code
    this.setting = options.setting
    this.faults = faults.map((fault) => ({ reason: code, ...fault }))
  }
}

/** The error of an invalid request, with one fault or several. */
export function invalidRequest(faults: GivenFaults): CatalogueError {
  return new CatalogueError('invalid_request', faults)
}

export type FieldFault = readonly [field: string, fault: string | false | undefined]

/**
 * The faults of those fields that have one: `['name', 'must be ...']`. The fields of an item of a list have the prefix
 * `definitions[0].` and the item's index.
 */
export function faultsOf(fields: readonly FieldFault[], prefix = '', index?: number): Omit<Fault, 'reason'>[] {
  return fields.flatMap(([name, fault]) => {
    const field = prefix + name
    return fault ? [{ field, ...(index !== undefined && { index }), details: `${field} ${fault}` }] : []
  })
}

/** Throws `invalid_request` with the faults, if there are any, and the setting that would permit what one refuses. */
export function requireNoFaults(faults: readonly Omit<Fault, 'reason'>[], setting?: ErrorSource['setting']): void {
  if (faults.length > 0) throw new CatalogueError('invalid_request', faults, { setting })
}

/** The error for a store that does not exist or that the caller may not see: both look the same. */
export function storeNotFound(field: string, storeUuid: string): CatalogueError {
  const details = `there is no store ${hasAtMost(storeUuid, 100) ? JSON.stringify(storeUuid) : 'with this UUID'}`
  return new CatalogueError('store_not_found', [{ details, field }])
}

/** The error of what needs the ledger, if there is none. */
export function changesDisabled(): CatalogueError {
  return new CatalogueError('changes_disabled', 'this service records no changes: CHANGES_RETENTION is 0')
}

/** The error for a token without the required rights. */
export function forbidden(details: string): CatalogueError {
  return new CatalogueError('forbidden', details)
}

/** The message of something thrown, which need not be an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The problem of a request that was stopped. */
export const unfinished = 'the service could not finish a request of this size'

/** The problem of a request whose dependency does not answer. A listing calls its database `source` too. */
export const unreachable = {
  unavailable: 'the service cannot reach its database',
  downstream_unavailable: 'the filtering service or database of the listing cannot be reached',
}

/** The error for a dependency that does not answer now. `problem` is the reason, where it is known. */
export function unavailable(code: keyof typeof unreachable, cause: unknown, problem = unreachable[code]) {
  return new CatalogueError(code, `${problem}; retry later`, { cause })
}
