import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { tryLock } from '../locks.ts'

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

/** A query for the asset with the lowest id of each format and URL. Its index is on a hash, as URLs can be long. */
export const assetsByUrl = (storeUuid: string, urls: readonly string[]) => sql`
    select a.asset_format, min(a.asset_id) as asset_id, a.url
    from (
      select url collate "C" as url, hashtextextended(url collate "C", 0) as hash from unnest(${urls}::text[]) as u(url) offset 0
    ) u cross join lateral (
      select asset_id, asset_format, url from asset
      where store_uuid = ${storeUuid} and url_hash = u.hash and url = u.url
      offset 0
    ) a
    group by a.asset_format, a.url`

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

export interface WrittenGroup {
  channel: string
  parentCode: string
  assetFormat: string
  /** New groups are written by `copy`. */
  isNew: boolean
  entries: string
  /** Their number. */
  assets: number
}

/**
 * Replaces the entries of the groups that are not new, counts the new ones, and raises the version of each
 * listing. The caller holds the lock of the store.
 */
export async function countLoadedGroups(
  catalogue: WriteCatalogue,
  storeUuid: string,
  groups: readonly WrittenGroup[],
): Promise<void> {
  const of = <Key extends keyof WrittenGroup>(key: Key) => groups.map((group) => group[key])
  const replaced = groups.map(({ isNew, entries }) => (isNew ? null : entries))
  const { rows } = await sql<{ largest: number | null }>`
    with written as materialized (
      select channel collate "C" as channel, asset_format collate "C" as asset_format,
        parent_code collate "C" as parent_code, entries, assets, case when entries is null then 1 else 0 end as delta
      from unnest(${of('channel')}::text[], ${of('assetFormat')}::text[], ${of('parentCode')}::text[],
        ${replaced}::text[], ${of('assets')}::int[])
        as n(channel, asset_format, parent_code, entries, assets)
    ), ${replaceGroupsCte(storeUuid, sql`written`)}, ${updateCountersCtes(storeUuid, sql`written`)}
    select ${largestRange} as largest`.execute(catalogue.db)
  await splitRanges(catalogue, storeUuid, onlyRow(rows).largest)
}
