import { type RawBuilder, sql } from 'kysely'
import type { LinkChange } from '../asset-groups/change-groups.ts'
import { unlink } from '../asset-groups/read-model.ts'
import { deletedAssets, deletedLinks } from '../changes/record-changes.ts'

/** The parts of a statement that removes what items select. */
export interface Removal extends LinkChange {
  /**
   * Queries for `chosen(n, named, parent_code, channel, asset_id, place)`, what each item `n` selects. Each combination
   * of an item's fields has its own, so that it uses an index (docs/contributing.md: plans).
   */
  branches: RawBuilder<unknown>[]
  /** The CTE of what was removed. */
  removed: RawBuilder<unknown>
  /** Whether an item selected nothing. */
  isMissing: RawBuilder<boolean>
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

export function deletionOfAssets(storeUuid: string): Removal {
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
    links: sql`gone`,
    writes: sql`
    unlinked as (
      delete from asset_link
      where store_uuid = ${storeUuid} and asset_id = any(array(select asset_id from chosen))
    ), deleted as (
      delete from asset
      where store_uuid = ${storeUuid} and asset_id = any(array(select asset_id from chosen))
      returning asset_id, asset_format, url, created_at
    )`,
    items: sql`${deletedLinks(sql`gone`)} union all ${deletedAssets(sql`select * from deleted`)}`,
    removed: sql`deleted`,
    isMissing: sql`case when asset_id is null then n not in (select n from chosen)
        else asset_id not in (select named from chosen where named is not null) end`,
  }
}

export function removalOfLinks(storeUuid: string): Removal {
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
    links: sql`gone`,
    writes: sql`unlinked as (${unlink(storeUuid, sql`gone`)})`,
    items: deletedLinks(sql`gone`),
    removed: sql`gone`,
    isMissing: sql`n not in (select n from chosen)`,
  }
}
