import { sql } from 'kysely'
import { rebuildGroups } from '../../asset-groups/change-groups.ts'
import { placeLinks, unlink } from '../../asset-groups/read-model.ts'
import type { Sql } from '../../conditions.ts'
import { createdAssets, createdLinks, deletedAssets, deletedLinks, linkKey, movedLinks } from '../record-changes.ts'
import { changedSince, type Restoration, type Reversal, type RevertStep, restoreItems } from './restore-items.ts'

/**
 * Restores the places of links, deletes assets that the request created, and creates those that it deleted. An asset
 * that others have linked since is deleted with those links if the revert overwrites, else it is skipped. The caller
 * holds the locks of the groups; of all, if there are assets.
 */
export const assetsAndLinks: RevertStep = {
  kinds: ['asset', 'link'],
  revert: async (catalogue, reversal) => {
    const { storeUuid, requestId } = reversal
    const done = await restoreItems(catalogue, reversal, ['asset', 'link'], (own) => restored(reversal, own))
    // The groups of the links that were just recorded.
    const touched = sql`
      select distinct i.code as parent_code, (i.key::json ->> 0) collate "C" as channel
      from change c cross join lateral unnest(c.codes, c.keys) as i(code, key)
      where c.store_uuid = ${storeUuid} and c.request_id = ${catalogue.origin?.requestId} and c.reverts = ${requestId}
        and c.kind = 'link'`
    if (done.links) await rebuildGroups(catalogue, storeUuid, touched)
    return done
  },
}

function restored({ storeUuid, overwrites }: Reversal, own: Sql): Restoration {
  const [assets, assetsGone, assetsNew] = [sql`asset_after`, sql`asset_gone`, sql`asset_new`]
  const [links, others, linksGone, placed] = [sql`link_before`, sql`other_link`, sql`link_gone`, sql`link_placed`]
  const after = sql`link_after`
  return {
    ctes: sql`${assets} as materialized (${assetsAfter(storeUuid, own)}),
      ${links} as materialized (${linksBefore(own)}),
      ${others} as materialized (${otherLinks(storeUuid, assets, links)}),
      ${assetsGone} as materialized (
        select * from ${assets}
        where is_new and is_there and (${overwrites}::boolean or asset_id not in (select asset_id from ${others}))
      ), ${assetsNew} as materialized (select * from ${assets} where is_restorable and not is_there),
      ${after} as materialized (${linksAfter(storeUuid, { links, assets, assetsGone, assetsNew })}),
      ${linksGone} as materialized (
        select parent_code, channel, asset_id, was as place from ${after} where place is null and was is not null
        union
        select parent_code, channel, asset_id, place from ${others} where asset_id in (select asset_id from ${assetsGone})
      ), ${placed} as materialized (
        select * from ${after} where is_possible and place is distinct from was and place is not null
      ), unlinked as (${unlink(storeUuid, linksGone)}), placed as (${placeLinks(storeUuid, placed)}), deleted as (
        delete from asset where store_uuid = ${storeUuid} and asset_id = any(array(select asset_id from ${assetsGone}))
      ), inserted as (
        insert into asset (store_uuid, asset_id, asset_format, url, created_at)
        select ${storeUuid}::uuid, asset_id, format_then, url_then, created_at_then from ${assetsNew}
        order by asset_id
      )`,
    changes: sql`
      ${createdAssets(sql`select * from ${assetsNew}`)} union all
      ${deletedAssets(sql`select * from ${assetsGone}`)} union all
      ${createdLinks(sql`select * from ${placed} where was is null`)} union all
      ${movedLinks(placed)} union all ${deletedLinks(linksGone)}`,
    counts: {
      assets: sql`(select count(*) from ${assetsGone}) + (select count(*) from ${assetsNew})`,
      links: sql`(select count(*) from ${linksGone}) + (select count(*) from ${placed})`,
    },
    skipped: sql`
      ${changedSince(own)} union all
      select 'asset', asset_id, null, 'changed_since' from ${assets}
      where case when is_new then is_there and asset_id not in (select asset_id from ${assetsGone}) else not is_restorable end
      union all
      select 'link', parent_code, ${linkKey}, 'gone' from ${after} where place is not null and not is_possible`,
  }
}

/** A query for the assets. One that exists again with another URL or format is not restorable. */
const assetsAfter = (storeUuid: string, own: Sql) => sql`
        select f.*, a.*, a.asset_format is not null as is_there, not f.is_new and (
            a.asset_format is null or a.asset_format = f.format_then and a.url = f.url_then
          ) as is_restorable
        from (
          select distinct on (code) code as asset_id, action = 'created' as is_new, (was::json ->> 'assetFormat') collate "C" as format_then,
            (was::json ->> 'url') collate "C" as url_then, (was::json ->> 'createdAt')::timestamptz as created_at_then
          from ${own} where kind = 'asset' and is_undone
          order by code, seq
        ) f left join lateral (
          select asset_format, url, created_at from asset where store_uuid = ${storeUuid} and asset_id = f.asset_id
          offset 0
        ) a on true`

/** A query for the links with the place of their oldest undone item; null if there was no link. */
const linksBefore = (own: Sql) => sql`
        select distinct on (code, key) code as parent_code, (key::json ->> 0) collate "C" as channel, asset_id,
          case when action <> 'created' then was::integer end as place
        from ${own} where kind = 'link' and is_undone
        order by code, key, seq`

/** A query for the links of new assets that the request did not create. */
const otherLinks = (storeUuid: string, assets: Sql, links: Sql) => sql`
        select l.* from ${assets} a cross join lateral (
          select parent_code, channel, asset_id, place from asset_link
          where store_uuid = ${storeUuid} and asset_id = a.asset_id
          offset 0
        ) l
        where a.is_new and (l.parent_code, l.channel, l.asset_id) not in (
          select parent_code, channel, asset_id from ${links} where place is null)`

/** A query for the links with their present place `was`, and whether they can have the one from before. */
const linksAfter = (
  storeUuid: string,
  { links, assets, assetsGone, assetsNew }: Record<'links' | 'assets' | 'assetsGone' | 'assetsNew', Sql>,
) => sql`
        select f.parent_code, f.channel, f.asset_id, f.place, l.place as was, f.asset_id in (select asset_id from ${assetsNew})
          or a.asset_format is not null and f.asset_id not in (
            select asset_id from ${assets}
            where not is_restorable and (not is_new or asset_id in (select asset_id from ${assetsGone}))
          ) as is_possible
        from ${links} f left join lateral (
          select place from asset_link
          where store_uuid = ${storeUuid} and parent_code = f.parent_code and channel = f.channel and asset_id = f.asset_id
          offset 0
        ) l on true left join lateral (
          select asset_format from asset where store_uuid = ${storeUuid} and asset_id = f.asset_id
          offset 0
        ) a on true`
