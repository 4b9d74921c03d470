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

export interface Unlink extends Selector {
  parentCode: string
  channel: string
}

export interface UnlinkedAssets {
  /** Links removed; the assets stay. */
  unlinked: number
  failures: ItemFailure[]
}

/**
 * Removes links between assets and a parent code on a channel (spec: POST /assets/unlink). `assetId` left out means
 * every asset linked there. Throws `payload_too_large`. Two statements, whatever the number of links.
 */
export async function unlinkAssets(db: WriteView, given: readonly Unlink[]): Promise<UnlinkedAssets> {
  const links = bounded(given)
  const stores = await lockGroups(db, parentsByStore(links))
  const { unlinked, missing } = await removeLinks(db, selectedRows(links, stores))
  const failures = failuresOf(links, stores, missing, 'link_not_found', (link, assetId) =>
    JSON.stringify([link.store ?? link.storeUuid, link.channel, link.parentCode, assetId]),
  )
  return { unlinked, failures }
}

function parentsByStore(links: readonly Bounded<Unlink>[]): Map<string, string[]> {
  const parents = new Map<string, string[]>(storesOf(links).map((storeUuid) => [storeUuid, []]))
  for (const link of links) parents.get(link.store ?? '')?.push(link.parentCode)
  return parents
}

async function removeLinks(
  db: WriteView,
  rows: readonly SelectedRow[],
): Promise<{ unlinked: number; missing: Missing[] }> {
  if (rows.length === 0) return { unlinked: 0, missing: [] }
  const changes = sql`
    item as (
      select index, store_uuid, channel collate "C" as channel, parent_code collate "C" as parent_code, asset_id collate "C" as asset_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as i(index integer, store_uuid uuid, channel text, parent_code text, asset_id text)
    ), chosen as (
      select i.index, i.asset_id as named, l.store_uuid, l.parent_code, l.channel, l.asset_id
      from item i join asset_link l on l.store_uuid = i.store_uuid and l.parent_code = i.parent_code
        and l.channel = i.channel and l.asset_id = i.asset_id
    union all
      select i.index, null, l.store_uuid, l.parent_code, l.channel, l.asset_id
      from item i join asset_link l on l.store_uuid = i.store_uuid and l.parent_code = i.parent_code
        and l.channel = i.channel
      where i.asset_id is null
    ), gone as (
      delete from asset_link l
      using (select distinct store_uuid, parent_code, channel, asset_id from chosen) c
      where l.store_uuid = c.store_uuid and l.parent_code = c.parent_code
        and l.channel = c.channel and l.asset_id = c.asset_id
      returning l.store_uuid, l.parent_code, l.channel, l.asset_id
    )`
  const answer = sql<{ unlinked: number; missing: Missing[] }>`(select count(*)::int from gone) as unlinked,
      (
        select coalesce(json_agg(m), '[]') from (
          select index, asset_id from item where (index, coalesce(asset_id, '')) not in (select index, coalesce(named, '') from chosen)
        ) m
      ) as missing`
  return (await takeFromGroups(db, changes, answer)) ?? { unlinked: 0, missing: [] }
}
