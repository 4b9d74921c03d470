import { type RawBuilder, sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { recorded } from '../changes/record-changes.ts'
import { encodedGroups, entriesWith } from './asset-entries.ts'
import { largestRange, replaceGroupsCte, splitRanges, updateCountersCtes, writeGroupsCtes } from './read-model.ts'

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

/**
 * Rebuilds the groups of the rows `(parent_code, channel)` of a query from their current links. The caller holds the
 * locks of the groups.
 */
export async function rebuildGroups(
  catalogue: WriteCatalogue,
  storeUuid: string,
  touched: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<{ largest: number | null }>`
    with touched as materialized (${touched}), remaining as materialized (
      select t.channel, a.asset_format, t.parent_code, l.asset_id, a.url, l.place
      from touched t cross join lateral (
        select asset_id, place from asset_link
        where store_uuid = ${storeUuid} and parent_code = t.parent_code and channel = t.channel
        offset 0
      ) l cross join lateral (
        select asset_format, url from asset where store_uuid = ${storeUuid} and asset_id = l.asset_id
        offset 0
      ) a
    ), rebuilt as materialized (
      ${encodedGroups(sql`select * from remaining`)}
    ), stored as materialized (
      select g.* from (
        select *, hashtextextended(parent_code, 0) as hash from touched offset 0
      ) t cross join lateral (
        select channel, asset_format, parent_code, entries from asset_group
        where store_uuid = ${storeUuid} and parent_code = t.parent_code and parent_hash = t.hash and channel = t.channel
        offset 0
      ) g
    ), written as materialized (
      select channel, asset_format, parent_code, rebuilt.entries, coalesce(rebuilt.assets, 0) as assets,
        case when rebuilt.entries is null then -1 when stored.entries is null then 1 else 0 end as delta
      from rebuilt full join stored using (channel, asset_format, parent_code)
      where rebuilt.entries is distinct from stored.entries
    ), ${writeGroupsCtes(storeUuid, sql`written`)}, ${updateCountersCtes(storeUuid, sql`written`)}
    select ${largestRange} as largest`.execute(catalogue.db)
  await splitRanges(catalogue, storeUuid, onlyRow(rows).largest)
}
