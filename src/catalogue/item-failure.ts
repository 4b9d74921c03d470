import type { Reason } from '../errors.ts'
import { BoundedFailures, brief } from './bounded-failures.ts'

/** Why one item of a request, or one asset id of it, failed. `index` is the item's place in the request, from 0. */
export interface ItemFailure {
  reason: Reason
  details: string
  index: number
  storeUuid?: string | null | undefined
  channel?: string | null | undefined
  parentCode?: string | null | undefined
  assetId?: string | null | undefined
}

export interface ItemFailures {
  failures: ItemFailure[]
  /** How many more items failed than `failures` has. */
  more: number
}

export function boundedFailures(failures: Iterable<ItemFailure>): ItemFailures {
  const bounded = new BoundedFailures<ItemFailure>()
  for (const failure of failures) bounded.add({ ...failure, details: brief(failure.details) })
  return { failures: bounded.kept, more: bounded.more }
}
