import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'

/** Versions grow by random steps, so that none repeats, even after a restore from a backup. */
const maxStep = 1_000_000

/**
 * CTEs that update the counters of ranges and listings by rows `(channel, asset_format, parent_code, delta, assets)`,
 * where `delta` is 1 for a new group, 0 for a changed one and -1 for a removed one. All writers update ranges before
 * totals, and both in the order of their keys, so that they do not deadlock. A total is the sum of 16 rows: two writers
 * seldom wait for each other.
 */
export const updateCountersCtes = (storeUuid: string, written: RawBuilder<unknown>) => sql`
  in_range as (
    select w.channel, w.asset_format, w.delta, coalesce((
      select first_code from asset_group_range r
      where r.store_uuid = ${storeUuid} and r.channel = w.channel and r.asset_format = w.asset_format
        and r.first_code <= w.parent_code
      order by first_code desc limit 1
    ), '') as first_code
    from ${written} w where w.delta <> 0
  ), counted as (
    insert into asset_group_range as r (store_uuid, channel, asset_format, first_code, groups)
    select ${storeUuid}::uuid, channel, asset_format, first_code, sum(delta) from in_range
    group by channel, asset_format, first_code
    order by channel, asset_format, first_code
    on conflict (store_uuid, channel, asset_format, first_code) do update set groups = r.groups + excluded.groups
    returning groups
  ), totalled as (
    insert into asset_group_total as t (store_uuid, channel, asset_format, shard, groups, version, most_assets)
    select ${storeUuid}::uuid, channel, asset_format, ${randomInt(16)}::smallint, sum(delta),
      ${randomInt(1, maxStep)}::bigint, max(assets)
    from ${written} where (select count(*) from counted) >= 0
    group by channel, asset_format
    order by channel, asset_format
    on conflict (store_uuid, channel, asset_format, shard)
      do update set groups = t.groups + excluded.groups, version = t.version + excluded.version,
        most_assets = greatest(t.most_assets, excluded.most_assets)
  )`

/** With these CTEs: the number of groups in the largest range that was changed, for `splitRanges`; null if none was. */
export const largestRange = sql<number | null>`(select max(groups) from counted)`

/** A statement that writes the places of the links `(parent_code, channel, asset_id, place)`. */
export const placeLinks = (storeUuid: string, links: RawBuilder<unknown>) => sql`
      insert into asset_link as l (store_uuid, parent_code, channel, asset_id, place)
      select ${storeUuid}::uuid, parent_code, channel, asset_id, place from ${links}
      order by parent_code, channel, asset_id
      on conflict (store_uuid, parent_code, channel, asset_id) do update set place = excluded.place
      where l.place <> excluded.place`

/** A statement that deletes the links `(parent_code, channel, asset_id)`. */
export const unlink = (storeUuid: string, links: RawBuilder<unknown>) => sql`
      delete from asset_link
      where store_uuid = ${storeUuid} and parent_code = any(array(select parent_code from ${links}))
        and ((parent_code, channel, asset_id) in (select parent_code, channel, asset_id from ${links})) is true`

/** A CTE that writes the groups of a CTE `(channel, asset_format, parent_code, entries)` that have entries. */
export const replaceGroupsCte = (storeUuid: string, groups: RawBuilder<unknown>) => sql`
    kept as (
      insert into asset_group (store_uuid, channel, asset_format, parent_code, entries)
      select ${storeUuid}::uuid, channel, asset_format, parent_code, entries from ${groups} where entries is not null
      on conflict (store_uuid, channel, asset_format, parent_code) do update set entries = excluded.entries
    )`

/**
 * CTEs that write the groups of a CTE `(channel, asset_format, parent_code, entries)`; without entries they delete
 * them. Plans: docs/contributing.md explains `= any(array(…))` and `is true`.
 */
export const writeGroupsCtes = (storeUuid: string, groups: RawBuilder<unknown>) => sql`
    ${replaceGroupsCte(storeUuid, groups)}, emptied as (
      delete from asset_group
      where store_uuid = ${storeUuid}
        and parent_hash = any(array(select hashtextextended(parent_code, 0) from ${groups} where entries is null))
        and ((channel, asset_format, parent_code) in (
          select channel, asset_format, parent_code from ${groups} where entries is null
        )) is true
    )`
