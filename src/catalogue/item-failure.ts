import type { Reason } from '../errors.ts'

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
