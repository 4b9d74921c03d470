import { BoundedFailures, brief } from './bounded-failures.ts'

export const itemReasons = [
  ...(['asset_not_found', 'link_not_found', 'store_not_found'] as const),
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
