import { sql } from 'kysely'
import type { ItemFailure } from './item-failure.ts'
import { lockGroups } from './locks.ts'
import { takeFromGroups } from './read-model.ts'
import {
  type Bounded,
  bounded,
  failuresOf,
  type Missing,
  type SelectedRow,
  type Selector,
  selectedRows,
  storesOf,
} from './selection.ts'
import type { WriteView } from './viewer.ts'

export interface DeletedAssets {
  /** Assets removed, each with all its links. */
  deletedCount: number
  failures: ItemFailure[]
}

/**
 * Deletes the assets that the selectors choose (spec: DELETE /assets). `channel`, `parentCode` and `assetId` narrow
 * together; a selector with none of them is refused as a failure of its own. Throws
 * `payload_too_large`. Two statements, whatever the number of selectors.
 */
export async function deleteAssets(db: WriteView, given: readonly Selector[]): Promise<DeletedAssets> {
  const selectors = bounded(given)
  // An asset may be linked anywhere in its store.
  const stores = await lockGroups(db, new Map(storesOf(selectors).map((storeUuid) => [storeUuid, 'all'])))
  const refused = selectors.flatMap((selector, index) => (narrows(selector) ? [] : [refusal(selector, index)]))
  const refusedAt = new Set(refused.map((refusal) => refusal.index))
  const rows = selectedRows(selectors, stores).filter((row) => !refusedAt.has(row.index))
  const { deleted, missing } = await removeAssets(db, rows)
  const failures = failuresOf(selectors, stores, missing, 'asset_not_found', (selector, assetId) =>
    JSON.stringify([selector.store ?? selector.storeUuid, assetId]),
  )
  const others = failures.filter((failure) => !refusedAt.has(failure.index))
  return { deletedCount: deleted, failures: [...refused, ...others].sort((a, b) => a.index - b.index) }
}

function narrows(selector: Selector): boolean {
  return selector.channel != null || selector.parentCode != null || selector.assetId != null
}

function refusal(selector: Bounded<Selector>, index: number): ItemFailure {
  const details = 'name a channel, a parent code or asset ids: an item without any would delete all assets of the store'
  return {
    reason: 'selector_required',
    details,
    index,
    storeUuid: selector.store ?? selector.storeUuid,
  }
}

async function removeAssets(
  db: WriteView,
  rows: readonly SelectedRow[],
): Promise<{ deleted: number; missing: Missing[] }> {
  if (rows.length === 0) return { deleted: 0, missing: [] }
  const changes = sql`
    item as (
      select index, store_uuid, channel collate "C" as channel, parent_code collate "C" as parent_code, asset_id collate "C" as asset_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as i(index integer, store_uuid uuid, channel text, parent_code text, asset_id text)
    ), chosen as (
      ${chosenAssets}
    ), doomed as (
      select distinct store_uuid, asset_id from chosen
    ), gone as (
      delete from asset_link l using doomed d
      where l.store_uuid = d.store_uuid and l.asset_id = d.asset_id
      returning l.store_uuid, l.parent_code, l.channel, l.asset_id
    ), deleted as (
      delete from asset a using doomed d
      where a.store_uuid = d.store_uuid and a.asset_id = d.asset_id
      returning a.asset_id
    )`
  const answer = sql<{ deleted: number; missing: Missing[] }>`(select count(*)::int from deleted) as deleted,
      (
        select coalesce(json_agg(m), '[]') from (
          select index, asset_id from item where asset_id is null and index not in (select index from chosen)
          union all
          select index, asset_id from item
          where asset_id is not null and (store_uuid, asset_id) not in (select store_uuid, named from chosen where named is not null)
        ) m
      ) as missing`
  return (await takeFromGroups(db, changes, answer)) ?? { deleted: 0, missing: [] }
}

/** One branch for each way in, so that each goes by an index: by id; by id within links; by parent code; by channel alone. */
const chosenAssets = sql`
      select i.index, i.asset_id as named, a.store_uuid, a.asset_id
      from item i join asset a on a.store_uuid = i.store_uuid and a.asset_id = i.asset_id
      where i.channel is null and i.parent_code is null
    union all
      select i.index, i.asset_id, l.store_uuid, l.asset_id
      from item i join asset_link l on l.store_uuid = i.store_uuid and l.asset_id = i.asset_id
        and (i.channel is null or l.channel = i.channel) and (i.parent_code is null or l.parent_code = i.parent_code)
      where i.channel is not null or i.parent_code is not null
    union all
      select i.index, null, l.store_uuid, l.asset_id
      from item i join asset_link l on l.store_uuid = i.store_uuid and l.parent_code = i.parent_code
        and (i.channel is null or l.channel = i.channel)
      where i.asset_id is null
    union all
      select i.index, null, l.store_uuid, l.asset_id
      from item i join asset_group g on g.store_uuid = i.store_uuid and g.channel = i.channel
      join asset_link l on l.store_uuid = g.store_uuid and l.parent_code = g.parent_code and l.channel = g.channel
      where i.asset_id is null and i.parent_code is null`
