import { sql } from 'kysely'
import { storeUuidOf } from '../../text.ts'
import { removeFromGroups } from '../asset-groups/change-groups.ts'
import { boundedFailures, type ItemFailures, type ItemReason } from '../bounded-failures.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { type LockedNames, type LockRequest, lockStores } from '../locks.ts'
import { deletionOfAssets, type Removal, removalOfLinks } from './removals.ts'
import { type AssetSelection, detailsOf, keyOf, narrows, type Selector, selectionsOf } from './selections.ts'

export interface Unlink extends Selector {
  parentCode: string
  channel: string
}

export interface Removed extends ItemFailures {
  removed: number
}

/** Deletes the selected assets with their links (spec: DELETE /assets). Throws `payload_too_large`. */
export function deleteAssets(catalogue: WriteCatalogue, selectors: readonly Selector[]): Promise<Removed> {
  return removeSelected(catalogue, assetDeletion, selectors)
}

/** Removes the selected links, never assets (spec: POST /assets/unlink). Throws `payload_too_large`. */
export function unlinkAssets(catalogue: WriteCatalogue, links: readonly Unlink[]): Promise<Removed> {
  return removeSelected(catalogue, linkRemoval, links)
}

interface Action {
  missing: ItemReason
  /** The parent codes whose groups may change. */
  locked(selections: readonly AssetSelection[]): LockedNames
  /** Equal for selections whose failures count once. */
  identityOf(selection: AssetSelection): string
  removal(storeUuid: string): Removal
}

/** An asset may be linked to any parent code. A missing one fails once a request, whatever else selects it. */
const assetDeletion: Action = {
  missing: 'asset_not_found',
  locked: () => 'all',
  identityOf: ({ storeUuid, assetId }) => JSON.stringify([storeUuid, assetId]),
  removal: deletionOfAssets,
}

const linkRemoval: Action = {
  missing: 'link_not_found',
  locked: (selections) => selections.map(({ parentCode }) => parentCode ?? ''),
  identityOf: keyOf,
  removal: removalOfLinks,
}

/** Each selection fails by itself. */
async function removeSelected(
  catalogue: WriteCatalogue,
  action: Action,
  selectors: readonly Selector[],
): Promise<Removed> {
  const selections = selectionsOf(selectors)
  const byStore = Map.groupBy(selections, ({ storeUuid }) => storeUuid)
  const requests = [...byStore].filter(([storeUuid]) => storeUuidOf(storeUuid) !== undefined)
  const locks = requests.map(([storeUuid, group]): [string, LockRequest] => [
    storeUuid,
    { groups: action.locked(group) },
  ])
  const stores = await lockStores(catalogue, new Map(locks))
  let removed = 0
  const missing = new Set<string>()
  for (const storeUuid of stores) {
    const ofStore = await removeInStore(catalogue, action, storeUuid, byStore.get(storeUuid) ?? [])
    removed += ofStore.removed
    for (const key of ofStore.missing) missing.add(key)
  }
  const reasonOf = (selection: AssetSelection): ItemReason | undefined => {
    if (!narrows(selection)) return 'selector_required'
    if (!stores.has(selection.storeUuid)) return 'store_not_found'
    return missing.has(keyOf(selection)) ? action.missing : undefined
  }
  const failures = failingOnce(action, selections).flatMap((selection) => {
    const reason = reasonOf(selection)
    return reason ? [{ reason, details: detailsOf(selection, reason), ...selection }] : []
  })
  return { removed, ...boundedFailures(failures) }
}

/** Returns how many assets or links were removed, and the keys of the selections that selected none. */
async function removeInStore(
  catalogue: WriteCatalogue,
  action: Action,
  storeUuid: string,
  given: readonly AssetSelection[],
): Promise<{ removed: number; missing: string[] }> {
  const selections = given.filter(narrows)
  if (selections.length === 0) return { removed: 0, missing: [] }
  const chosen = [...new Map(selections.map((selection) => [keyOf(selection), selection]))]
  const failing = Map.groupBy(failingOnce(action, selections), keyOf)
  const named = chosen.map(([key, { channel, parentCode, assetId }], n) => {
    return { n, channel, parentCode, assetId, failures: failing.get(key)?.length ?? 0 }
  })
  const { branches, reads, links, writes, items, removed: count, isMissing } = action.removal(storeUuid)
  const failed = sql`(select ${given.length - selections.length}::integer + coalesce(sum(failures), 0)
        from item where ${isMissing})`
  const answer = sql<{ removed: number; missing: number[] }>`(select count(*)::int from ${count}) as removed,
      array(select n from item where ${isMissing}) as missing`
  const selected = sql`
    item as (
      select n, channel collate "C" as channel, "parentCode" collate "C" as parent_code, "assetId" collate "C" as asset_id,
        failures
      from jsonb_to_recordset(${JSON.stringify(named)}::jsonb)
        as i(n integer, channel text, "parentCode" text, "assetId" text, failures integer)
    ), chosen as materialized (
      ${sql.join(branches, sql` union all `)}
    ), ${reads}`
  const change = { reads: selected, links, writes, items }
  const { removed, missing } = await removeFromGroups(catalogue, storeUuid, change, answer, failed)
  return { removed, missing: missing.flatMap((n) => chosen[n]?.[0] ?? []) }
}

/** The selections of which each can fail: several of one asset id fail together, once. */
function failingOnce({ identityOf }: Action, selections: readonly AssetSelection[]): AssetSelection[] {
  const counted = new Set<string>()
  return selections.filter((selection) => {
    const id = identityOf(selection)
    const isFirst = !counted.has(id)
    if (selection.assetId !== null) counted.add(id)
    return isFirst
  })
}
