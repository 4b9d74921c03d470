import { CatalogueError } from '../../errors.ts'
import { storeUuidOf } from '../../text.ts'
import type { ItemReason } from '../bounded-failures.ts'

/** The links or assets that an item selects. Without `assetId` they may have any id; an empty list selects none. */
export interface Selector {
  storeUuid: string
  channel?: string | null | undefined
  parentCode?: string | null | undefined
  assetId?: readonly string[] | null | undefined
}

/** One asset id of an item, or the whole item if it names none. `index`: the item's position in the request, from 0. */
export interface AssetSelection {
  index: number
  /** Canonical, or as given if it is no UUID. */
  storeUuid: string
  channel: string | null
  parentCode: string | null
  assetId: string | null
}

const maxIds = 10_000

/** One selection per asset id, as each can fail by itself. Throws `payload_too_large`. */
export function selectionsOf(selectors: readonly Selector[]): AssetSelection[] {
  const ids = selectors.reduce((sum, { assetId }) => sum + (assetId?.length ?? 0), 0)
  if (ids > maxIds) {
    const details = `a request must name at most ${maxIds} asset ids; got ${ids}`
    throw new CatalogueError('payload_too_large', details)
  }
  return selectors.flatMap((selector, index) => {
    const storeUuid = storeUuidOf(selector.storeUuid) ?? cut(selector.storeUuid)
    const channel = selector.channel == null ? null : cut(selector.channel)
    const parentCode = selector.parentCode == null ? null : cut(selector.parentCode)
    return (selector.assetId ?? [null]).map((assetId) => ({ index, storeUuid, channel, parentCode, assetId }))
  })
}

/** 255 characters of up to two UTF-16 units each. */
const maxNameLength = 510

/** Cuts a text that is longer than any name, which matches nothing: each failure repeats it. */
function cut(text: string): string {
  return text.length <= maxNameLength ? text : `${text.slice(0, maxNameLength).toWellFormed()}…`
}

/** Whether the selection names more than the store. */
export function narrows({ channel, parentCode, assetId }: AssetSelection): boolean {
  return channel !== null || parentCode !== null || assetId !== null
}

/** Equal for equal selections, whatever their items. */
export function keyOf({ storeUuid, channel, parentCode, assetId }: AssetSelection): string {
  return JSON.stringify([storeUuid, channel, parentCode, assetId])
}

export function detailsOf({ storeUuid, channel, parentCode, assetId }: AssetSelection, reason: ItemReason): string {
  if (reason === 'store_not_found') return `there is no store ${JSON.stringify(storeUuid)}`
  if (reason === 'selector_required') {
    return 'name a channel, a parent code or an asset id: an item without any would delete all assets of the store'
  }
  const words = [
    assetId === null ? 'no asset is' : `the asset ${JSON.stringify(assetId)} is not`,
    parentCode !== null && `linked to the parent code ${JSON.stringify(parentCode)}`,
    channel !== null && `${parentCode === null ? 'linked ' : ''}on the channel ${JSON.stringify(channel)}`,
    `in the store ${JSON.stringify(storeUuid)}`,
  ]
  return words.filter((word) => word !== false).join(' ')
}
