import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { deletedLinks } from '../changes/record-changes.ts'
import { type Removal, type Removed, removeSelected, type Selector } from './remove-selected.ts'

/** Deletes the selectors' assets (spec: DELETE /assets). Throws `payload_too_large`. Two statements a store. */
export function deleteAssets(catalogue: WriteCatalogue, selectors: readonly Selector[]): Promise<Removed> {
  return removeSelected(catalogue, selectors, deletion)
}

/**
 * `chosen` has a branch for each combination, so that each uses an index; `offset 0` makes PostgreSQL look each item up
 * by it, whatever its statistics say of the store.
 */
const deletion: Removal = {
  // An asset may be linked anywhere in its store.
  parentCodes: () => 'all',
  changes: (storeUuid) => ({
    reads: sql`
    chosen as materialized (
        select i.n, i.asset_id as named, a.asset_id
        from item i cross join lateral (
          select asset_id from asset where store_uuid = ${storeUuid} and asset_id = i.asset_id
          offset 0
        ) a
        where i.channel is null and i.parent_code is null
      union all
        select i.n, i.asset_id, l.asset_id
        from item i cross join lateral (
          select asset_id from asset_link
          where store_uuid = ${storeUuid} and asset_id = i.asset_id
            and (i.channel is null or channel = i.channel) and (i.parent_code is null or parent_code = i.parent_code)
          offset 0
        ) l
        where i.channel is not null or i.parent_code is not null
      union all
        select i.n, null, l.asset_id
        from item i cross join lateral (
          select asset_id from asset_link
          where store_uuid = ${storeUuid} and parent_code = i.parent_code and (i.channel is null or channel = i.channel)
          offset 0
        ) l
        where i.asset_id is null
      union all
        select i.n, null, l.asset_id
        from item i cross join lateral (
          select channel, parent_code from asset_group where store_uuid = ${storeUuid} and channel = i.channel
          offset 0
        ) g cross join lateral (
          select asset_id from asset_link
          where store_uuid = ${storeUuid} and parent_code = g.parent_code and channel = g.channel
          offset 0
        ) l
        where i.asset_id is null and i.parent_code is null
    ), gone as materialized (
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
    items: sql`${deletedLinks} union all
      select 'asset', 'deleted', asset_id, null, json_build_object(
        'assetFormat', asset_format, 'url', url, 'createdAt', created_at)::text
      from deleted`,
  }),
  removed: sql`select count(*)::int from deleted`,
  missing: sql`
    select n from item
    where case when asset_id is null then n not in (select n from chosen)
      else asset_id not in (select named from chosen where named is not null) end`,
  reason: 'asset_not_found',
  identity: ({ storeUuid, assetId }) => JSON.stringify([storeUuid, assetId]),
}
