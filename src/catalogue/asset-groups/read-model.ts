import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { encodedGroups, entriesWith } from './asset-entries.ts'
import { largestRange, splitRanges } from './key-ranges.ts'

/** A listing's total and version are sums over 16 rows; a writer adds to a random one. */
const shards = 16
/** Random, so that a version never returns, not even in a database from a backup. */
const longestStep = 1_000_000

/**
 * CTEs that count the new (`delta` 1), changed (0) and removed (-1) groups of `written(channel, asset_format,
 * parent_code, delta)` in their ranges and in the totals. Rows are written in the order of their keys, and ranges before
 * totals, so that no two writers wait for each other.
 */
const countWritten = (storeUuid: string) => sql`
  in_range as (
    select w.channel, w.asset_format, w.delta, coalesce((
      select first_code from asset_group_range r
      where r.store_uuid = ${storeUuid} and r.channel = w.channel and r.asset_format = w.asset_format
        and r.first_code <= w.parent_code
      order by first_code desc limit 1
    ), '') as first_code
    from written w where w.delta <> 0
  ), counted as (
    insert into asset_group_range as r (store_uuid, channel, asset_format, first_code, groups)
    select ${storeUuid}::uuid, channel, asset_format, first_code, sum(delta) from in_range
    group by channel, asset_format, first_code
    order by channel, asset_format, first_code
    on conflict (store_uuid, channel, asset_format, first_code) do update set groups = r.groups + excluded.groups
    returning groups
  ), totalled as (
    insert into asset_group_total as t (store_uuid, channel, asset_format, shard, groups, version)
    select ${storeUuid}::uuid, channel, asset_format, ${randomInt(shards)}::smallint, sum(delta),
      ${randomInt(1, longestStep)}::bigint
    from written where (select count(*) from counted) >= 0
    group by channel, asset_format
    order by channel, asset_format
    on conflict (store_uuid, channel, asset_format, shard)
      do update set groups = t.groups + excluded.groups, version = t.version + excluded.version
  )`

/**
 * Adds links, and updates the read model with them. `changes` are CTEs up to `remaining(channel, asset_format,
 * parent_code, asset_id, url, place)`, all links of the groups that may change, after the statement. The caller holds the
 * locks of the groups.
 */
export async function changeGroups<Answer>(
  catalogue: WriteCatalogue,
  storeUuid: string,
  changes: RawBuilder<unknown>,
  answer: RawBuilder<Answer>,
): Promise<Answer> {
  const { rows } = await sql<Answer & { largest: number | null }>`
    with ${changes}, rebuilt as (
      ${encodedGroups(sql`select * from remaining`)}
    ), written as (
      insert into asset_group (store_uuid, channel, asset_format, parent_code, entries)
      select ${storeUuid}::uuid, channel, asset_format, parent_code, entries from rebuilt
      on conflict (store_uuid, channel, asset_format, parent_code) do update set entries = excluded.entries
      returning channel, asset_format, parent_code, case when xmax = 0 then 1 else 0 end as delta
    ), ${countWritten(storeUuid)}
    select (select max(groups) from counted) as largest, ${answer}`.execute(catalogue.db)
  const row = onlyRow(rows)
  if ((row.largest ?? 0) > largestRange) await splitRanges(catalogue, storeUuid)
  return row
}

/**
 * Removes links: as `changeGroups`, but what remains of a group is made from its entries. `changes` are CTEs up to
 * `gone(parent_code, channel, asset_id)`, the removed links. They are left out by `not in`, which is
 * hashed: PostgreSQL expects one row of such a CTE, and would compare each entry with each for `not exists`. Rows that
 * were found by their keys are deleted by their `ctid`, without a join; nobody else moves them, as the groups are locked.
 */
export async function removeFromGroups<Answer>(
  catalogue: WriteCatalogue,
  storeUuid: string,
  changes: RawBuilder<unknown>,
  answer: RawBuilder<Answer>,
): Promise<Answer> {
  const { rows } = await sql<Answer>`
    with ${changes}, touched as (
      select distinct gone.channel, a.asset_format, gone.parent_code
      from gone cross join lateral (
        select asset_format from asset where store_uuid = ${storeUuid} and asset_id = gone.asset_id
        offset 0
      ) a
    ), after as (
      select g."row", g.channel, g.asset_format, g.parent_code, ${entriesWith(sql`
        (g.parent_code, g.channel, entry ->> 'asset_id') not in (select parent_code, channel, asset_id from gone)`)} as entries
      from touched t cross join lateral (
        select ctid as "row", * from asset_group
        where store_uuid = ${storeUuid} and channel = t.channel and asset_format = t.asset_format and parent_code = t.parent_code
        offset 0
      ) g
    ), kept as (
      insert into asset_group (store_uuid, channel, asset_format, parent_code, entries)
      select ${storeUuid}::uuid, channel, asset_format, parent_code, entries from after where entries is not null
      on conflict (store_uuid, channel, asset_format, parent_code) do update set entries = excluded.entries
      returning channel, asset_format, parent_code, 0 as delta
    ), emptied as (
      delete from asset_group
      where store_uuid = ${storeUuid} and ctid = any(array(select "row" from after where entries is null))
      returning channel, asset_format, parent_code, -1 as delta
    ), written as (
      select * from kept union all select * from emptied
    ), ${countWritten(storeUuid)}
    select ${answer}`.execute(catalogue.db)
  return onlyRow(rows)
}

/** A select without a table has one row. */
function onlyRow<Row>([row]: readonly Row[]): Row {
  if (!row) throw new Error('the statement returned no row')
  return row
}

export interface LoadedEntries {
  parentCode: string
  assetFormat: string
  isNew: boolean
}

/** Counts new groups of a channel, and moves the version of each listing. The caller holds the lock of the store. */
export async function countLoadedGroups(
  catalogue: WriteCatalogue,
  { storeUuid, channel }: { storeUuid: string; channel: string },
  groups: readonly LoadedEntries[],
): Promise<void> {
  const codes = groups.map(({ parentCode }) => parentCode)
  const formats = groups.map(({ assetFormat }) => assetFormat)
  const deltas = groups.map(({ isNew }) => (isNew ? 1 : 0))
  const { rows } = await sql<{ groups: number }>`
    with written as (
      select ${channel} collate "C" as channel, asset_format collate "C" as asset_format,
        parent_code collate "C" as parent_code, delta
      from unnest(${formats}::text[], ${codes}::text[], ${deltas}::integer[]) as n(asset_format, parent_code, delta)
    ), ${countWritten(storeUuid)}
    select groups from counted`.execute(catalogue.db)
  if (rows.some((row) => row.groups > largestRange)) await splitRanges(catalogue, storeUuid)
}
