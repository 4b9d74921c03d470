import { sql } from 'kysely'
import { placeLinksCte, unlinkCte } from '../../asset-groups/read-model.ts'
import { rebuildGroups } from '../../asset-groups/rebuild-groups.ts'
import { createdAssets, createdLinks, deletedAssets, deletedLinks, linkKey, movedLinks } from '../record-changes.ts'
import { changedSince, type Reversal, type RevertStep } from './run-revert.ts'

/**
 * CTEs up to the assets to delete and to create. An asset that exists again with another URL or format is skipped. The
 * oldest undone item of a link has its place from before; null if there was no link.
 */
const assetsAfter = ({ storeUuid, overwrites }: Reversal) => sql`
    first_link as materialized (
      select distinct on (code, key) code as parent_code, (key::json ->> 0) collate "C" as channel, asset as asset_id,
        case when action <> 'created' then was::integer end as place
      from own where kind = 'link' and is_undone
      order by code, key, seq
    ), asset_after as materialized (
      select f.*, a.*, a.asset_format is not null as is_there, not f.is_new and (
          a.asset_format is null or a.asset_format = f.format_then and a.url = f.url_then
        ) as is_restorable
      from (
        select distinct on (code) code as asset_id, action = 'created' as is_new, (was::json ->> 'assetFormat') collate "C" as format_then,
          (was::json ->> 'url') collate "C" as url_then, (was::json ->> 'createdAt')::timestamptz as created_at_then
        from own where kind = 'asset' and is_undone
        order by code, seq
      ) f left join lateral (
        select asset_format, url, created_at from asset where store_uuid = ${storeUuid} and asset_id = f.asset_id
        offset 0
      ) a on true
    ), other_link as materialized (
      select l.* from asset_after a cross join lateral (
        select parent_code, channel, asset_id, place from asset_link
        where store_uuid = ${storeUuid} and asset_id = a.asset_id
        offset 0
      ) l
      where a.is_new and (l.parent_code, l.channel, l.asset_id) not in (
        select parent_code, channel, asset_id from first_link where place is null)
    ), asset_gone as materialized (
      select * from asset_after
      where is_new and is_there and (${overwrites}::boolean or asset_id not in (select asset_id from other_link))
    ), asset_new as materialized (
      select * from asset_after where is_restorable and not is_there
    )`

/** CTEs up to the links to remove (`gone`), and those that get a place (`remaining`). `was` is the present place. */
const linksAfter = (storeUuid: string) => sql`
    link_after as materialized (
      select f.parent_code, f.channel, f.asset_id, f.place, l.place as was, f.asset_id in (select asset_id from asset_new)
        or a.asset_format is not null and f.asset_id not in (
          select asset_id from asset_after where not is_restorable and (not is_new or asset_id in (select asset_id from asset_gone))
        ) as is_possible
      from first_link f left join lateral (
        select place from asset_link
        where store_uuid = ${storeUuid} and parent_code = f.parent_code and channel = f.channel and asset_id = f.asset_id
        offset 0
      ) l on true left join lateral (
        select asset_format from asset where store_uuid = ${storeUuid} and asset_id = f.asset_id
        offset 0
      ) a on true
    ), gone as materialized (
      select parent_code, channel, asset_id, was as place from link_after where place is null and was is not null
      union
      select parent_code, channel, asset_id, place from other_link where asset_id in (select asset_id from asset_gone)
    ), remaining as materialized (
      select * from link_after where is_possible and place is distinct from was and place is not null
    )`

const changes = sql`
  ${createdAssets(sql`select asset_id from asset_new`)} union all
  ${deletedAssets(sql`select * from asset_gone`)} union all
  ${createdLinks(sql`select * from remaining where was is null`)} union all ${movedLinks} union all ${deletedLinks}`

const skipped = sql`
  ${changedSince} union all
  select 'asset', asset_id, null, 'changed_since' from asset_after
  where case when is_new then is_there and asset_id not in (select asset_id from asset_gone) else not is_restorable end
  union all
  select 'link', parent_code, ${linkKey}, 'gone' from link_after
  where place is not null and not is_possible`

/**
 * Restores the places of links, deletes assets that the request created, and creates those that it deleted. An asset
 * that others have linked since is deleted with those links if the revert overwrites, else it is skipped. The caller
 * holds the locks of the groups; of all, if there are assets.
 */
export const assetsAndLinks: RevertStep = {
  kinds: ['asset', 'link'],
  restore: (_, reversal) => sql`${assetsAfter(reversal)}, ${linksAfter(reversal.storeUuid)},
    ${unlinkCte(reversal.storeUuid)}, ${placeLinksCte(reversal.storeUuid)}, deleted as (
      delete from asset
      where store_uuid = ${reversal.storeUuid} and asset_id = any(array(select asset_id from asset_gone))
    ), inserted as (
      insert into asset (store_uuid, asset_id, asset_format, url, created_at)
      select ${reversal.storeUuid}::uuid, asset_id, format_then, url_then, created_at_then from asset_new
      order by asset_id
    )`,
  changes,
  counts: {
    assets: sql`(select count(*) from asset_gone) + (select count(*) from asset_new)`,
    links: sql`(select count(*) from gone) + (select count(*) from remaining)`,
  },
  skipped,
  // The groups of the links that were just recorded.
  finish: async (catalogue, { storeUuid, requestId }, { reverted }) => {
    if (!reverted.links) return
    const touched = sql`
      select distinct i.code as parent_code, (i.key::json ->> 0) collate "C" as channel
      from change c cross join lateral unnest(c.codes, c.keys) as i(code, key)
      where c.store_uuid = ${storeUuid} and c.request_id = ${catalogue.origin?.requestId} and c.reverts = ${requestId}
        and c.kind = 'link'`
    await rebuildGroups(catalogue, storeUuid, touched)
  },
}
