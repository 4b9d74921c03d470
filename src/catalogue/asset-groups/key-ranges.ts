import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { tryLock } from '../locks.ts'

/** A range with more groups is split into ranges of half as many. */
export const maxRange = 2_000

/**
 * Splits the ranges that are too large; does nothing unless `largest`, the groups of a range, is too large. If another
 * writer holds the lock of the store, a later one splits them. The lock must be exclusive, because a writer looks its
 * range up before it counts there. The groups of a range are read by `order by` and `limit`: for a condition between
 * two codes PostgreSQL may read the whole store.
 */
export async function splitRanges(catalogue: WriteCatalogue, storeUuid: string, largest: number | null): Promise<void> {
  if ((largest ?? 0) <= maxRange || !(await tryLock(catalogue, storeUuid, 'groups'))) return
  // `run_on_server` (Citus) needs a statement that returns rows.
  await sql`
    with range as (
      select channel, asset_format, first_code, groups,
        lead(first_code) over (partition by channel, asset_format order by first_code) as next_code
      from asset_group_range where store_uuid = ${storeUuid}::uuid
    ), piece as (
      select r.channel, r.asset_format, r.first_code, g.nth / ${maxRange / 2}::integer as piece,
        min(g.parent_code) as piece_code, count(*) as groups
      from range r cross join lateral (
        select parent_code, row_number() over (order by parent_code) - 1 as nth from (
          select parent_code from asset_group
          where store_uuid = ${storeUuid} and channel = r.channel and asset_format = r.asset_format
            and parent_code >= r.first_code
          order by store_uuid, channel, asset_format, parent_code limit r.groups
        ) c
        where r.next_code is null or parent_code < r.next_code
      ) g
      where r.groups > ${maxRange}
      group by r.channel, r.asset_format, r.first_code, piece
    )
    insert into asset_group_range (store_uuid, channel, asset_format, first_code, groups)
    select ${storeUuid}::uuid, channel, asset_format, case piece when 0 then first_code else piece_code end, groups from piece
    order by channel, asset_format, piece_code
    on conflict (store_uuid, channel, asset_format, first_code)
      do update set groups = excluded.groups
    returning 1`.execute(catalogue.db)
}
