import { type RawBuilder, sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { encodedGroups, entriesWith } from './asset-entries.ts'
import { largestRange, splitRanges } from './key-ranges.ts'

/** A listing's total and version are sums over 16 rows; a writer adds to a random one. */
const shard = sql`(random() * 15)::smallint`
/** Random, so that a version never returns, not even in a database from a backup. */
const step = sql`1 + (random() * 1000000)::bigint`

/**
 * CTEs that count the new (`delta` 1), changed (0) and removed (-1) groups of `written(store_uuid, channel,
 * asset_format, parent_code, delta)` in their ranges and in the totals. Rows are written in the order of their keys,
 * and ranges before totals, so that no two writers wait for each other.
 */
const countWritten = sql`
  in_range as (
    select w.store_uuid, w.channel, w.asset_format, w.delta, coalesce((
      select first_code from asset_group_range r
      where r.store_uuid = w.store_uuid and r.channel = w.channel and r.asset_format = w.asset_format
        and r.first_code <= w.parent_code
      order by first_code desc limit 1
    ), '') as first_code
    from written w where w.delta <> 0
  ), counted as (
    insert into asset_group_range as r (store_uuid, channel, asset_format, first_code, groups)
    select store_uuid, channel, asset_format, first_code, sum(delta) from in_range
    group by store_uuid, channel, asset_format, first_code
    order by store_uuid, channel, asset_format, first_code
    on conflict (store_uuid, channel, asset_format, first_code) do update set groups = r.groups + excluded.groups
    returning groups
  ), totalled as (
    insert into asset_group_total as t (store_uuid, channel, asset_format, shard, groups, version)
    select store_uuid, channel, asset_format, ${shard}, sum(delta), ${step}
    from written where (select count(*) from counted) >= 0
    group by store_uuid, channel, asset_format
    order by store_uuid, channel, asset_format
    on conflict (store_uuid, channel, asset_format, shard)
      do update set groups = t.groups + excluded.groups, version = t.version + excluded.version
  )`

const countGroups = sql`
  written as (
    select * from kept union all select * from emptied
  ), ${countWritten}`

/**
 * Changes links, and updates the read model with them. `changes` are CTEs up to `touched(store_uuid, channel,
 * asset_format, parent_code)`, the groups that may change, each once; and `remaining(…the same, asset_id, url,
 * place)`, the links in them after the statement. The caller holds the locks of the groups.
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
    ), kept as (
      insert into asset_group (store_uuid, channel, asset_format, parent_code, entries)
      select store_uuid, channel, asset_format, parent_code, entries from rebuilt
      on conflict (store_uuid, channel, asset_format, parent_code) do update set entries = excluded.entries
      returning store_uuid, channel, asset_format, parent_code, case when xmax = 0 then 1 else 0 end as delta
    ), emptied as (
      delete from asset_group g using touched t
      where g.store_uuid = t.store_uuid and g.channel = t.channel
        and g.asset_format = t.asset_format and g.parent_code = t.parent_code
        and (t.store_uuid, t.channel, t.asset_format, t.parent_code) not in (
          select store_uuid, channel, asset_format, parent_code from rebuilt
        )
      returning g.store_uuid, g.channel, g.asset_format, g.parent_code, -1 as delta
    ), ${countGroups}
    select (select max(groups) from counted) as largest, ${answer}`.execute(catalogue.db)
  const row = onlyRow(rows)
  if ((row.largest ?? 0) > largestRange) await splitRanges(catalogue, storeUuid)
  return row
}

/**
 * Removes links: as `changeGroups`, but what remains of a group is made from its entries. `changes` are CTEs up to
 * `gone(store_uuid, parent_code, channel, asset_id)`, the removed links. They are left out by `not in`, which is
 * hashed: PostgreSQL expects one row of such a CTE, and would compare each entry with each for `not exists`.
 */
export async function removeFromGroups<Answer>(
  catalogue: WriteCatalogue,
  changes: RawBuilder<unknown>,
  answer: RawBuilder<Answer>,
): Promise<Answer> {
  const { rows } = await sql<Answer>`
    with ${changes}, touched as (
      select distinct gone.store_uuid, gone.channel, a.asset_format, gone.parent_code
      from gone join asset a using (store_uuid, asset_id)
    ), after as (
      select g.store_uuid, g.channel, g.asset_format, g.parent_code, ${entriesWith(sql`
        (g.store_uuid, g.parent_code, g.channel, entry ->> 'asset_id') not in (
          select store_uuid, parent_code, channel, asset_id from gone
        )`)} as entries
      from touched t cross join lateral (
        select * from asset_group
        where store_uuid = t.store_uuid and channel = t.channel and asset_format = t.asset_format and parent_code = t.parent_code
        offset 0
      ) g
    ), kept as (
      update asset_group g set entries = a.entries from after a
      where a.entries is not null and g.store_uuid = a.store_uuid and g.channel = a.channel
        and g.asset_format = a.asset_format and g.parent_code = a.parent_code
      returning g.store_uuid, g.channel, g.asset_format, g.parent_code, 0 as delta
    ), emptied as (
      delete from asset_group g using after a
      where a.entries is null and g.store_uuid = a.store_uuid and g.channel = a.channel
        and g.asset_format = a.asset_format and g.parent_code = a.parent_code
      returning g.store_uuid, g.channel, g.asset_format, g.parent_code, -1 as delta
    ), ${countGroups}
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
      select ${storeUuid}::uuid as store_uuid, ${channel} collate "C" as channel, asset_format collate "C" as asset_format,
        parent_code collate "C" as parent_code, delta
      from unnest(${formats}::text[], ${codes}::text[], ${deltas}::integer[]) as n(asset_format, parent_code, delta)
    ), ${countWritten}
    select groups from counted`.execute(catalogue.db)
  if (rows.some((row) => row.groups > largestRange)) await splitRanges(catalogue, storeUuid)
}
