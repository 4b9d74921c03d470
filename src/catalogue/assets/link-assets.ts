import { type RawBuilder, sql } from 'kysely'
import { changeGroups, fromTouchedGroups } from '../asset-groups/read-model.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { storeKey } from '../store-key.ts'

/**
 * Creates the assets of the items that are new, and the missing links; returns how many. The caller holds the groups'
 * locks.
 */
export async function linkAssets(
  catalogue: WriteCatalogue,
  storeUuid: string,
  items: RawBuilder<unknown>,
): Promise<{ added: number; linked: number }> {
  const changes = sql`
    item as (${items}
    ), new_asset as (
      insert into asset (store_uuid, asset_id, asset_format, url)
      select ${storeUuid}::uuid, asset_id, asset_format, url from item where is_new
      order by asset_id
      returning asset_id
    ), wanted as (
      select parent_code, channel, asset_id, min(asset_format) as asset_format, min(url) as url, min(index) as index
      from item group by parent_code, channel, asset_id
    ), fresh as (
      select w.*, row_number() over (partition by w.parent_code, w.channel order by w.index) as nth
      from wanted w cross join lateral (
        select count(*) as links from asset_link l where l.store_uuid = ${storeKey(storeUuid)}
          and l.parent_code = w.parent_code and l.channel = w.channel and l.asset_id = w.asset_id
      ) l
      where l.links = 0
    ), placed as (
      select ${storeUuid}::uuid as store_uuid, channel, asset_format, parent_code, asset_id, url,
        nth + max(case when nth = 1 then (
          select coalesce(max(l.place), 0) from asset_link l where l.store_uuid = ${storeKey(storeUuid)}
            and l.parent_code = fresh.parent_code and l.channel = fresh.channel
        ) end) over (partition by parent_code, channel) as place
      from fresh
    ), new_link as (
      insert into asset_link (store_uuid, parent_code, channel, asset_id, place)
      select store_uuid, parent_code, channel, asset_id, place from placed
      order by parent_code, channel, asset_id
      returning asset_id
    ), touched as (
      select distinct store_uuid, channel, asset_format, parent_code from placed
    ), remaining as (
      select t.store_uuid, t.channel, t.asset_format, t.parent_code, l.asset_id, a.url, l.place
      ${fromTouchedGroups}
    union all
      select store_uuid, channel, asset_format, parent_code, asset_id, url, place from placed
    )`
  const answer = sql<{ added: number; linked: number }>`
    (select count(*)::int from new_asset) as added, (select count(*)::int from new_link) as linked`
  return changeGroups(catalogue, [storeUuid], changes, answer)
}
