import { type RawBuilder, sql } from 'kysely'
import { storeUuidOf } from '../../text.ts'
import { type LinkChange, removeFromGroups, unlinkCte } from '../asset-groups/read-model.ts'
import { boundedFailures, type ItemFailures, type ItemReason } from '../bounded-failures.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { deletedAssets, deletedLinks } from '../changes/record-changes.ts'
import { type LockedNames, type LockRequest, lockStores } from '../locks.ts'
import { detailsOf, keyOf, narrows, type Selection, type Selector, selectionsOf } from './selections.ts'

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
  locked(selections: readonly Selection[]): LockedNames
  /** Equal for selections whose failures count once. */
  identityOf(selection: Selection): string
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
    const ofStore = await removeInStore(catalogue, action, storeUuid, byStore.get(storeUuid)?.filter(narrows) ?? [])
    removed += ofStore.removed
    for (const key of ofStore.missing) missing.add(key)
  }
  const reasonOf = (selection: Selection): ItemReason | undefined => {
    if (!narrows(selection)) return 'selector_required'
    if (!stores.has(selection.storeUuid)) return 'store_not_found'
    return missing.has(keyOf(selection)) ? action.missing : undefined
  }
  const counted = new Set<string>()
  const failures = selections.flatMap((selection) => {
    const reason = reasonOf(selection)
    const id = action.identityOf(selection)
    if (reason === undefined || counted.has(id)) return []
    if (selection.assetId !== null) counted.add(id)
    return [{ reason, details: detailsOf(selection, reason), ...selection }]
  })
  return { removed, ...boundedFailures(failures) }
}

/** Returns how many assets or links were removed, and the keys of the selections that selected none. */
async function removeInStore(
  catalogue: WriteCatalogue,
  action: Action,
  storeUuid: string,
  selections: readonly Selection[],
): Promise<{ removed: number; missing: string[] }> {
  if (selections.length === 0) return { removed: 0, missing: [] }
  const chosen = [...new Map(selections.map((selection) => [keyOf(selection), selection]))]
  const named = chosen.map(([, { channel, parentCode, assetId }], n) => ({ n, channel, parentCode, assetId }))
  const { branches, reads, writes, items, answer } = action.removal(storeUuid)
  const selected = sql`
    item as (
      select n, channel collate "C" as channel, "parentCode" collate "C" as parent_code, "assetId" collate "C" as asset_id
      from jsonb_to_recordset(${JSON.stringify(named)}::jsonb)
        as i(n integer, channel text, "parentCode" text, "assetId" text)
    ), chosen as materialized (
      ${sql.join(branches, sql` union all `)}
    ), ${reads}`
  const { removed, missing } = await removeFromGroups(catalogue, storeUuid, { reads: selected, writes, items }, answer)
  return { removed, missing: missing.flatMap((n) => chosen[n]?.[0] ?? []) }
}

interface Removal extends LinkChange {
  /**
   * Queries for `chosen(n, named, parent_code, channel, asset_id, place)`, what each item `n` selects. Each combination
   * of an item's fields has its own, so that it uses an index (docs/contributing.md: plans).
   */
  branches: RawBuilder<unknown>[]
  /** How much was removed, and the items that selected nothing. */
  answer: RawBuilder<{ removed: number; missing: number[] }>
}

/** The links of the items for which `where` is true, as a branch. */
function linksBranch(storeUuid: string, condition: RawBuilder<unknown>, where: RawBuilder<unknown>) {
  return sql`
    select i.n, i.asset_id as named, l.*
    from item i cross join lateral (
      select parent_code, channel, asset_id, place from asset_link where store_uuid = ${storeUuid} and ${condition}
      offset 0
    ) l
    where ${where}`
}

function deletionOfAssets(storeUuid: string): Removal {
  const onChannel = sql`(i.channel is null or channel = i.channel)`
  const idOfParent = sql`asset_id = i.asset_id and ${onChannel} and (i.parent_code is null or parent_code = i.parent_code)`
  const idAlone = sql`
    select i.n, i.asset_id, null, null, a.asset_id, null
    from item i cross join lateral (
      select asset_id from asset where store_uuid = ${storeUuid} and asset_id = i.asset_id
      offset 0
    ) a
    where i.channel is null and i.parent_code is null`
  const channelAlone = sql`
    select i.n, i.asset_id, l.*
    from item i cross join lateral (
      select channel, parent_code from asset_group where store_uuid = ${storeUuid} and channel = i.channel
      offset 0
    ) g cross join lateral (
      select parent_code, channel, asset_id, place from asset_link
      where store_uuid = ${storeUuid} and parent_code = g.parent_code and channel = g.channel
      offset 0
    ) l
    where i.asset_id is null and i.parent_code is null`
  return {
    branches: [
      linksBranch(storeUuid, idOfParent, sql`i.channel is not null or i.parent_code is not null`),
      linksBranch(storeUuid, sql`parent_code = i.parent_code and ${onChannel}`, sql`i.asset_id is null`),
      idAlone,
      channelAlone,
    ],
    reads: sql`
    gone as materialized (
      select parent_code, channel, asset_id, place from asset_link
      where store_uuid = ${storeUuid} and asset_id = any(array(select asset_id from chosen))
    )`,
    writes: sql`
    unlinked as (
      delete from asset_link
      where store_uuid = ${storeUuid} and asset_id = any(array(select asset_id from chosen))
    ), deleted as (
      delete from asset
      where store_uuid = ${storeUuid} and asset_id = any(array(select asset_id from chosen))
      returning asset_id, asset_format, url, created_at
    )`,
    items: sql`${deletedLinks} union all ${deletedAssets(sql`select * from deleted`)}`,
    answer: sql`(select count(*)::int from deleted) as removed, array(
      select n from item
      where case when asset_id is null then n not in (select n from chosen)
        else asset_id not in (select named from chosen where named is not null) end) as missing`,
  }
}

function removalOfLinks(storeUuid: string): Removal {
  const ofGroup = sql`parent_code = i.parent_code and channel = i.channel`
  return {
    branches: [
      linksBranch(storeUuid, sql`${ofGroup} and asset_id = i.asset_id`, sql`true`),
      linksBranch(storeUuid, ofGroup, sql`i.asset_id is null`),
    ],
    reads: sql`
    gone as materialized (
      select distinct parent_code, channel, asset_id, place from chosen
    )`,
    writes: unlinkCte(storeUuid),
    items: deletedLinks,
    answer: sql`(select count(*)::int from gone) as removed,
      array(select n from item where n not in (select n from chosen)) as missing`,
  }
}
