import { sql } from 'kysely'
import { CatalogueError } from '../../errors.ts'
import { noEntries } from '../asset-groups/asset-entries.ts'
import type { AssetGroup } from '../asset-groups/asset-groups.ts'
import { changeGroups } from '../asset-groups/change-groups.ts'
import { placeLinks } from '../asset-groups/read-model.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { movedLinks } from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'

/**
 * Moves assets, in the given order, to a position from 1; a position past the end means the end. Returns the group,
 * with its entries if `isShown`. Throws `store_not_found`, or `link_not_found` with every asset id that is not in the
 * group.
 */
export async function moveAssets(
  catalogue: WriteCatalogue,
  key: { storeUuid: string; channel: string; parentCode: string; assetFormat: string },
  assetIds: readonly string[],
  { position = 1, isShown = true }: { position?: number; isShown?: boolean } = {},
): Promise<AssetGroup> {
  const { channel, parentCode, assetFormat } = key
  const storeUuid = await lockStore(catalogue, key.storeUuid, { groups: [parentCode] })
  const reads = sql`
    named as materialized (
      -- Grouped, not joined: a join may compare each of 10,000 ids with each link.
      select asset_id, min(nth) as nth, min(url) as url, min(place) as place
      from (
        select asset_id collate "C" as asset_id, nth, null::text as url, null::integer as place
        from unnest(${assetIds}::text[]) with ordinality as m(asset_id, nth)
        union all
        select l.asset_id, null, a.url, l.place
        from (
          select asset_id, place from asset_link
          where store_uuid = ${storeUuid} and parent_code = ${parentCode} and channel = ${channel}
          offset 0
        ) l cross join lateral (
          select url from asset where store_uuid = ${storeUuid} and asset_id = l.asset_id and asset_format = ${assetFormat}
          offset 0
        ) a
      ) n
      group by asset_id
    ), linked as materialized (
      select asset_id, url, nth, place as was, row_number() over (partition by nth is null order by place, asset_id) as rank,
        row_number() over (order by place, asset_id) as before
      from named where place is not null
    ), remaining as materialized (
      select ${channel} collate "C" as channel, ${assetFormat} collate "C" as asset_format,
        ${parentCode} collate "C" as parent_code, asset_id, url, was,
        case when bool_and(before = after) over () then was else after end as place
      from (
        select *, row_number() over (order by case when nth is null then rank else ${position} - 0.5 end, nth) as after
        from linked
      ) l
    )`
  const links = sql`remaining`
  const writes = sql`placed as (${placeLinks(storeUuid, links)})`
  const answer = sql<{ missing: string[]; entries: string | null }>`
    array(select asset_id from named where place is null) as missing,
    (select entries from rebuilt where ${isShown}) as entries`
  const { missing, entries } = await changeGroups(
    catalogue,
    storeUuid,
    { reads, links, writes, items: movedLinks(links) },
    answer,
  )
  if (missing.length > 0) {
    const place = `the ${assetFormat} assets of ${JSON.stringify(parentCode)} on the channel ${JSON.stringify(channel)}`
    const unknown = new Set(missing)
    const faults = assetIds
      .filter((assetId) => unknown.has(assetId))
      .map((id) => ({ field: 'assetId', details: `the asset ${JSON.stringify(id)} is not among ${place}` }))
    throw new CatalogueError('link_not_found', faults)
  }
  return { storeUuid, channel, parentCode, assetFormat, entries: entries ?? noEntries }
}
