import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { recorded } from '../changes/record-changes.ts'
import { encodedGroups, entriesWith } from './asset-entries.ts'
import { splitRanges } from './key-ranges.ts'

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

/** The CTEs of a statement that changes links and updates the read model. */
export interface LinkChange {
  /**
   * Materialized CTEs that read what is to be written. They precede those that write, because Citus runs CTEs one after
   * the other.
   */
  reads: RawBuilder<unknown>
  /**
   * The CTE among `reads` with the links: for `changeGroups` all links of the changed groups as they will be,
   * `(channel, asset_format, parent_code, asset_id, url, place)`; for `removeFromGroups` those to remove,
   * `(parent_code, channel, asset_id, place)`.
   */
  links: RawBuilder<unknown>
  /** CTEs that write `asset` and `asset_link`. */
  writes: RawBuilder<unknown>
  /** A query for the changes to record: `(kind, action, code, key, was)`. */
  items: RawBuilder<unknown>
}

/**
 * Adds or moves links, and updates the read model. The caller holds the locks of the groups. `answer` may read
 * `rebuilt(channel, asset_format, parent_code, entries)`.
 */
export async function changeGroups<Answer>(
  catalogue: WriteCatalogue,
  storeUuid: string,
  { reads, links, writes, items }: LinkChange,
  answer: RawBuilder<Answer>,
  failed = 0,
): Promise<Answer> {
  const { rows } = await sql<Answer & { largest: number | null }>`
    with ${reads}, rebuilt as materialized (
      ${encodedGroups(sql`select * from ${links}`)}
    ), written as materialized (
      select r.channel, r.asset_format, r.parent_code, 1 - (
        select count(*)::int from asset_group before
        where before.store_uuid = ${storeUuid} and before.channel = r.channel
          and before.asset_format = r.asset_format and before.parent_code = r.parent_code
      ) as delta, r.assets
      from rebuilt r
    ), ${writes}, ${replaceGroupsCte(storeUuid, sql`rebuilt`)},
      ${updateCountersCtes(storeUuid, sql`written`)}
    select ${largestRange} as largest, ${answer},
      ${recorded(catalogue, storeUuid, items, failed)}`.execute(catalogue.db)
  const row = onlyRow(rows)
  await splitRanges(catalogue, storeUuid, row.largest)
  return row
}

/** A CTE that writes the groups of a CTE `(channel, asset_format, parent_code, entries)` that have entries. */
const replaceGroupsCte = (storeUuid: string, groups: RawBuilder<unknown>) => sql`
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

/**
 * Removes links, and updates the read model: a group keeps its entries of other links. The caller holds the locks of
 * the groups. `not in` is hashed; `not exists` would compare each entry with each link.
 */
export async function removeFromGroups<Answer>(
  catalogue: WriteCatalogue,
  storeUuid: string,
  { reads, links, writes, items }: LinkChange,
  answer: RawBuilder<Answer>,
  failed: RawBuilder<unknown>,
): Promise<Answer> {
  const { rows } = await sql<Answer>`
    with ${reads}, touched as (
      select distinct l.channel, a.asset_format, l.parent_code
      from ${links} l cross join lateral (
        select asset_format from asset where store_uuid = ${storeUuid} and asset_id = l.asset_id
        offset 0
      ) a
    ), after as materialized (
      select g.channel, g.asset_format, g.parent_code, ${entriesWith(sql`
        (g.parent_code, g.channel, entry ->> 'asset_id') not in (select parent_code, channel, asset_id from ${links})`)} as entries
      from touched t cross join lateral (
        select * from asset_group
        where store_uuid = ${storeUuid} and channel = t.channel and asset_format = t.asset_format and parent_code = t.parent_code
        offset 0
      ) g
    ), written as materialized (
      select channel, asset_format, parent_code, case when entries is null then -1 else 0 end as delta, 0 as assets from after
    ), ${writes}, ${writeGroupsCtes(storeUuid, sql`after`)},
      ${updateCountersCtes(storeUuid, sql`written`)}
    select ${answer}, ${recorded(catalogue, storeUuid, items, failed)}`.execute(catalogue.db)
  return onlyRow(rows)
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
