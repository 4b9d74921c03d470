import { type Kysely, sql } from 'kysely'
import type { Database } from '../../database/tables.ts'
import { encodedGroups } from './asset-entries.ts'

/** One difference: `kept` is the value in the read model, `actual` the one that it should have; null: none. */
export interface Difference {
  what: 'group' | 'count' | 'total' | 'link'
  storeUuid: string
  channel: string
  assetFormat: string | null
  parentCode: string | null
  kept: string | null
  actual: string | null
}

/** Recomputes the read model in one snapshot and returns its differences, at most `limit`. */
export async function checkReadModel(db: Kysely<Database>, limit = 100): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with actual as (
      ${encodedGroups(sql`select * from asset_link join asset using (store_uuid, asset_id)`)}
    ), range as (
      select store_uuid, channel, asset_format, first_code, groups,
        lead(first_code) over (partition by store_uuid, channel, asset_format order by first_code) as next_code
      from asset_group_range
    ), counted as (
      select a.store_uuid, a.channel, a.asset_format, r.first_code, count(*)::int as groups
      from actual a left join range r on r.store_uuid = a.store_uuid and r.channel = a.channel and r.asset_format = a.asset_format
        and a.parent_code >= r.first_code and (r.next_code is null or a.parent_code < r.next_code)
      group by a.store_uuid, a.channel, a.asset_format, r.first_code
    )
      select 'group' as what, store_uuid as "storeUuid", channel, asset_format as "assetFormat", parent_code as "parentCode",
        kept.entries as kept, actual.entries as actual
      from asset_group kept full join actual using (store_uuid, channel, asset_format, parent_code)
      where kept.entries is distinct from actual.entries
    union all
      select 'count', store_uuid, channel, asset_format, first_code, kept.groups::text, counted.groups::text
      from range kept full join counted using (store_uuid, channel, asset_format, first_code)
      where coalesce(kept.groups, 0) <> coalesce(counted.groups, 0)
    union all
      select 'total', store_uuid, channel, asset_format, null, kept.groups::text, counted.groups::text
      from (
        select store_uuid, channel, asset_format, sum(groups) as groups from asset_group_total group by store_uuid, channel, asset_format
      ) kept full join (
        select store_uuid, channel, asset_format, sum(groups) as groups from counted group by store_uuid, channel, asset_format
      ) counted using (store_uuid, channel, asset_format)
      where coalesce(kept.groups, 0) <> coalesce(counted.groups, 0)
    union all
      select 'link', store_uuid, l.channel, null, l.parent_code, asset_id, null
      from asset_link l left join asset a using (store_uuid, asset_id)
      where a.asset_id is null
    limit ${limit}`.execute(db)
  return rows
}
