import { type RawBuilder, sql } from 'kysely'
import { CatalogueError } from '../../errors.ts'
import { storeUuidOf } from '../../text.ts'
import { type Changes, removeFromGroups } from '../asset-groups/read-model.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { boundedFailures, type ItemFailures, type ItemReason } from '../item-failure.ts'
import { lockStores, type Names } from '../locks.ts'

/** Which links or assets an item means. `assetId` left out does not narrow the choice, an empty list chooses none. */
export interface Selector {
  storeUuid: string
  channel?: string | null | undefined
  parentCode?: string | null | undefined
  assetId?: readonly string[] | null | undefined
}

/** One asset id of an item, or the whole item if it names none. `index` is the item's place in the request. */
export interface Selection {
  index: number
  /** Canonical, or as given if it is no UUID. */
  storeUuid: string
  channel: string | null
  parentCode: string | null
  assetId: string | null
}

export interface Removal {
  /** The parent codes to lock in a store for its selections, or all of them. */
  parentCodes: (selections: readonly Selection[]) => Names
  /** CTEs from `item(n, …)` to `gone(parent_code, channel, asset_id)`, the links to remove in a store. */
  changes: (storeUuid: string) => Changes
  removed: RawBuilder<number>
  /** A query for the items that chose nothing, as `n`, and their reason. */
  missing: RawBuilder<unknown>
  reason: ItemReason
  /** Equal for selections whose failures count once. */
  identity: (selection: Selection) => string
}

export interface Removed extends ItemFailures {
  removed: number
}

/**
 * Removes what the selectors choose; each selection fails by itself. Throws `payload_too_large`. Two statements a
 * store.
 */
export async function removeSelected(
  catalogue: WriteCatalogue,
  selectors: readonly Selector[],
  removal: Removal,
): Promise<Removed> {
  const selections = selectionsOf(selectors)
  const byStore = Map.groupBy(selections, ({ storeUuid }) => storeUuid)
  const requests = [...byStore].filter(([storeUuid]) => storeUuidOf(storeUuid) !== undefined)
  const stores = await lockStores(
    catalogue,
    new Map(requests.map(([storeUuid, group]) => [storeUuid, { groups: removal.parentCodes(group) }])),
  )
  let removed = 0
  const missing = new Set<string>()
  for (const storeUuid of stores) {
    const ofStore = await remove(catalogue, storeUuid, byStore.get(storeUuid)?.filter(narrows) ?? [], removal)
    removed += ofStore.removed
    for (const key of ofStore.missing) missing.add(key)
  }
  const reasonOf = (selection: Selection) => {
    if (!narrows(selection)) return 'selector_required'
    if (!stores.has(selection.storeUuid)) return 'store_not_found'
    return missing.size > 0 && missing.has(keyOf(selection)) ? removal.reason : undefined
  }
  const counted = new Set<string>()
  const failures = selections.flatMap((selection) => {
    const reason = reasonOf(selection)
    if (reason === undefined) return []
    const id = removal.identity(selection)
    if (counted.has(id)) return []
    if (selection.assetId !== null) counted.add(id)
    return [{ reason, details: detailsOf(selection, reason), ...selection }]
  })
  return { removed, ...boundedFailures(failures) }
}

const maxIds = 10_000

/** Splits the selectors into one selection per asset id: each can be a failure of its own. */
function selectionsOf(selectors: readonly Selector[]): Selection[] {
  const ids = selectors.reduce((sum, { assetId }) => sum + (assetId?.length ?? 0), 0)
  if (ids > maxIds) {
    const details = `a request must name at most ${maxIds} asset ids; got ${ids}`
    throw new CatalogueError('payload_too_large', [{ details }])
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

/** Texts longer than any name match nothing. They are cut, because they are repeated in each failure. */
function cut(text: string): string {
  return text.length <= maxNameLength ? text : `${text.slice(0, maxNameLength).toWellFormed()}…`
}

function narrows({ channel, parentCode, assetId }: Selection): boolean {
  return channel !== null || parentCode !== null || assetId !== null
}

/** Equal for selections that mean the same. */
export function keyOf({ storeUuid, channel, parentCode, assetId }: Selection): string {
  return JSON.stringify([storeUuid, channel, parentCode, assetId])
}

/** Returns how many assets or links were removed, and the keys of the selections that chose none. */
async function remove(
  catalogue: WriteCatalogue,
  storeUuid: string,
  selections: readonly Selection[],
  removal: Removal,
): Promise<{ removed: number; missing: string[] }> {
  if (selections.length === 0) return { removed: 0, missing: [] }
  const chosen = [...new Map(selections.map((selection) => [keyOf(selection), selection]))]
  const named = chosen.map(([, { channel, parentCode, assetId }], n) => ({ n, channel, parentCode, assetId }))
  const { reads, writes, items } = removal.changes(storeUuid)
  const selected = sql`
    item as (
      select n, channel collate "C" as channel, "parentCode" collate "C" as parent_code, "assetId" collate "C" as asset_id
      from jsonb_to_recordset(${JSON.stringify(named)}::jsonb)
        as i(n integer, channel text, "parentCode" text, "assetId" text)
    )`
  const answer = sql<{ removed: number; missing: number[] }>`(${removal.removed}) as removed,
      array(${removal.missing}) as missing`
  const { removed, missing } = await removeFromGroups(
    catalogue,
    storeUuid,
    { reads: sql`${selected}, ${reads}`, writes, items },
    answer,
  )
  return { removed, missing: missing.flatMap((n) => chosen[n]?.[0] ?? []) }
}

function detailsOf({ storeUuid, channel, parentCode, assetId }: Selection, reason: ItemReason): string {
  if (reason === 'store_not_found') return `there is no store ${JSON.stringify(storeUuid)}`
  if (reason === 'selector_required') {
    return 'name a channel, a parent code or asset ids: an item without any would delete all assets of the store'
  }
  const words = [
    assetId === null ? 'no asset is' : `the asset ${JSON.stringify(assetId)} is not`,
    parentCode !== null && `linked to the parent code ${JSON.stringify(parentCode)}`,
    channel !== null && `${parentCode === null ? 'linked ' : ''}on the channel ${JSON.stringify(channel)}`,
    `in the store ${JSON.stringify(storeUuid)}`,
  ]
  return words.filter((word) => word !== false).join(' ')
}
