export const maxFailures = 10_000
const maxBytes = 4 * 1024 * 1024
export const maxReasonLength = 200

/** The text, cut to the length of a reason: ten thousand failures may repeat it. */
export function brief(text: string, limit = maxReasonLength): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`
}

/** `expected; got …`. If that is too long, the expectation is cut. */
export function reasonOf(expected: string, got: string): string {
  return `${brief(expected, maxReasonLength - 6 - got.length)}; got ${got}`
}

/** Keeps at most 10,000 failures and 4 MiB of their JSON, and counts the others as `more`. */
export class BoundedFailures<Failure extends object> {
  readonly kept: Failure[] = []
  more = 0
  #bytes = 0

  add(failure: Failure): void {
    const isOpen = this.kept.length < maxFailures && this.#bytes < maxBytes
    if (isOpen) this.#bytes += Buffer.byteLength(JSON.stringify(failure))
    if (isOpen && this.#bytes <= maxBytes) this.kept.push(failure)
    else this.more++
  }
}

export const itemReasons = [
  ...(['asset_not_found', 'link_not_found', 'store_not_found', 'product_not_found'] as const),
  ...(['selector_required', 'asset_conflict', 'invalid_request'] as const),
] as const
export type ItemReason = (typeof itemReasons)[number]

/** Why an item of a request, or one of its asset ids, failed. `index`: the item's position in the request, from 0. */
export interface ItemFailure {
  reason: ItemReason
  details: string
  index: number
  storeUuid?: string | null | undefined
  channel?: string | null | undefined
  parentCode?: string | null | undefined
  assetId?: string | null | undefined
  productCode?: string | undefined
}

export interface ItemFailures {
  failures: ItemFailure[]
  /** The number of failures that `failures` leaves out. */
  more: number
}

export function boundedFailures(failures: Iterable<ItemFailure>): ItemFailures {
  const bounded = new BoundedFailures<ItemFailure>()
  for (const failure of failures) bounded.add({ ...failure, details: brief(failure.details) })
  return { failures: bounded.kept, more: bounded.more }
}
