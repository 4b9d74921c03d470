import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { type Removal, type Removed, removeSelected, type Selector } from './remove-selected.ts'

/** Deletes the selectors' assets (spec: DELETE /assets). Throws `payload_too_large`. Two statements. */
export function deleteAssets(catalogue: WriteCatalogue, selectors: readonly Selector[]): Promise<Removed> {
  return removeSelected(catalogue, selectors, deletion)
}

/** `chosen` has a branch for each combination, so that each uses an index. */
const deletion: Removal = {
  // An asset may be linked anywhere in its store.
  parentCodes: () => 'all',
  changes: sql`
    chosen as (
        select i.n, i.asset_id as named, a.store_uuid, a.asset_id
        from item i join asset a on a.store_uuid = i.store_uuid and a.asset_id = i.asset_id
        where i.channel is null and i.parent_code is null
      union all
        select i.n, i.asset_id, l.store_uuid, l.asset_id
        from item i join asset_link l on l.store_uuid = i.store_uuid and l.asset_id = i.asset_id
          and (i.channel is null or l.channel = i.channel) and (i.parent_code is null or l.parent_code = i.parent_code)
        where i.channel is not null or i.parent_code is not null
      union all
        select i.n, null, l.store_uuid, l.asset_id
        from item i join asset_link l on l.store_uuid = i.store_uuid and l.parent_code = i.parent_code
          and (i.channel is null or l.channel = i.channel)
        where i.asset_id is null
      union all
        select i.n, null, l.store_uuid, l.asset_id
        from item i join asset_group g on g.store_uuid = i.store_uuid and g.channel = i.channel
        join asset_link l on l.store_uuid = g.store_uuid and l.parent_code = g.parent_code and l.channel = g.channel
        where i.asset_id is null and i.parent_code is null
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
    )`,
  removed: sql`select count(*)::int from deleted`,
  missing: sql`
    select n from item
    where case when asset_id is null then n not in (select n from chosen)
      else (store_uuid, asset_id) not in (select store_uuid, named from chosen where named is not null) end`,
  reason: 'asset_not_found',
  identity: ({ storeUuid, assetId }) => JSON.stringify([storeUuid, assetId]),
}
