import { type RawBuilder, sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { encodedGroups } from './asset-entries.ts'
import { splitRanges } from './key-ranges.ts'
import { largestRange, updateCountersCtes, writeGroupsCtes } from './read-model.ts'

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
