import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'

/** One row in which the read model and what it is made from differ. `kept` is what the read model says, `true` what it should say; null for nothing. */
export interface Difference {
  what: 'group' | 'count' | 'link'
  storeUuid: string
  channel: string
  assetFormat: string | null
  parentCode: string | null
  kept: string | null
  actual: string | null
}

/** Recomputes the read model in one snapshot and returns what differs, at most `limit` rows: none when all is well. */
export async function checkReadModel(db: Kysely<Database>, limit = 100): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with actual as (
      select l.store_uuid, l.channel, a.asset_format, l.parent_code,
        json_agg(json_build_array(a.asset_id, a.url) order by l.place, a.asset_id)::text as assets
      from asset_link l join asset a using (store_uuid, asset_id)
      group by l.store_uuid, l.channel, a.asset_format, l.parent_code
    ), counted as (
      select store_uuid, channel, asset_format, count(*)::int as groups from actual group by store_uuid, channel, asset_format
    )
      select 'group' as what, store_uuid as "storeUuid", channel, asset_format as "assetFormat", parent_code as "parentCode",
        kept.assets::text as kept, actual.assets as actual
      from asset_group kept full join actual using (store_uuid, channel, asset_format, parent_code)
      where kept.assets::text is distinct from actual.assets
    union all
      select 'count', store_uuid, channel, asset_format, null, kept.groups::text, counted.groups::text
      from asset_group_count kept full join counted using (store_uuid, channel, asset_format)
      where coalesce(kept.groups, 0) <> coalesce(counted.groups, 0)
    union all
      select 'link', store_uuid, l.channel, null, l.parent_code, asset_id, null
      from asset_link l left join asset a using (store_uuid, asset_id)
      where a.asset_id is null
    limit ${limit}`.execute(db)
  return rows
}
