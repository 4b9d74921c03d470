import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'
import { encodedGroups } from './asset-groups/asset-entries.ts'
import { wholeCatalogue } from './catalogue.ts'
import type { ProjectionName, RowDifference } from './projections/projection.ts'
import { projections } from './projections/projections.ts'

/** A difference between `kept`, the value in the read model, and `actual`, the right value; null means no value. */
export interface Difference extends Pick<RowDifference, 'what' | 'channel' | 'kept' | 'actual'> {
  storeUuid: string
  assetFormat: string | null
  /** Of a product, too. */
  parentCode: string | null
}

/** How far a check is: checked stores, all, and what of the next store is compared now. */
export interface CheckStep {
  done: number
  all: number
  what?: 'groups' | ProjectionName
}

/**
 * Recomputes the read model of each store in one snapshot, and returns at most `limit` differences. Calls `onStep`
 * before each step, and after each store.
 */
export async function checkReadModel(
  db: Kysely<Database>,
  limit = 100,
  onStep: (step: CheckStep) => void = () => {},
): Promise<Difference[]> {
  const transaction = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return transaction.execute(async (snapshot) => {
    const { rows: stores } = await sql<{ uuid: string }>`
      select store_uuid as uuid from store order by store_uuid`.execute(snapshot)
    const differences: Difference[] = []
    for (const [i, { uuid }] of stores.entries()) {
      if (differences.length >= limit) break
      const all = stores.length
      const onPart = (what: CheckStep['what']) => onStep({ done: i, all, ...(what && { what }) })
      differences.push(...(await checkStore(snapshot, uuid, limit - differences.length, onPart)))
      onStep({ done: i + 1, all })
    }
    return differences
  })
}

async function checkStore(
  db: Kysely<Database>,
  storeUuid: string,
  limit: number,
  onPart: (what: CheckStep['what']) => void,
): Promise<Difference[]> {
  onPart('groups')
  const links = sql`
    select l.channel, a.asset_format, l.parent_code, l.asset_id, a.url, l.place
    from asset_link l join asset a on a.store_uuid = ${storeUuid} and a.asset_id = l.asset_id
    where l.store_uuid = ${storeUuid}`
  const { rows } = await sql<Omit<Difference, 'storeUuid'>>`
    with actual as (
      ${encodedGroups(links)}
    ), stored as (
      select channel, asset_format, parent_code, entries from asset_group where store_uuid = ${storeUuid}
    ), range as (
      select channel, asset_format, first_code, groups from asset_group_range where store_uuid = ${storeUuid}
    ), counted as (
      -- Each group after the beginning of its range, in one pass.
      select channel, asset_format, first_code, count(*)::int as groups
      from (
        select channel, asset_format, is_group, max(first_code) over (
          partition by channel, asset_format order by code, is_group rows unbounded preceding) as first_code
        from (
          select channel, asset_format, parent_code as code, true as is_group, null as first_code from actual
          union all
          select channel, asset_format, first_code, false, first_code from range
        ) codes
      ) grouped
      where is_group group by channel, asset_format, first_code
    )
      select 'group' as what, channel, asset_format as "assetFormat", parent_code as "parentCode",
        kept.entries as kept, actual.entries as actual
      from stored kept full join actual using (channel, asset_format, parent_code)
      where kept.entries is distinct from actual.entries
    union all
      select 'count', channel, asset_format, first_code, kept.groups::text, counted.groups::text
      from range kept full join counted using (channel, asset_format, first_code)
      where coalesce(kept.groups, 0) <> coalesce(counted.groups, 0)
    union all
      select 'total', channel, asset_format, null, kept.groups::text, counted.groups::text
      from (
        select channel, asset_format, sum(groups) as groups from asset_group_total where store_uuid = ${storeUuid}
        group by channel, asset_format
      ) kept full join (
        select channel, asset_format, sum(groups) as groups from counted group by channel, asset_format
      ) counted using (channel, asset_format)
      where coalesce(kept.groups, 0) <> coalesce(counted.groups, 0)
    union all
      select 'link', l.channel, null, l.parent_code, l.asset_id, null
      from asset_link l left join asset a on a.store_uuid = ${storeUuid} and a.asset_id = l.asset_id
      where l.store_uuid = ${storeUuid} and a.asset_id is null
    union all
      select 'products', null, null, null, kept.count || ' ' || status, actual.count || ' ' || status
      from (
        select status, sum(count) as count from product_total where store_uuid = ${storeUuid}
        group by status having sum(count) <> 0
      ) kept full join (
        select status collate "C" as status, count(*) as count from product where store_uuid = ${storeUuid} group by 1
      ) actual using (status)
      where kept.count is distinct from actual.count
    union all
      -- Names that no product has any longer stay.
      select 'attribute', null, null, null, null, missing.name
      from (
        select a.name collate "C" as name from product p cross join lateral jsonb_each_text(p.attributes) a(name, value)
        where p.store_uuid = ${storeUuid} and a.value <> ''
        except
        select name from attribute_name where store_uuid = ${storeUuid}
      ) missing
    limit ${limit}`.execute(db)
  const catalogue = { ...wholeCatalogue(db), patterns: { work: 0 } }
  const differences = rows.map((row) => ({ ...row, storeUuid }))
  for (const { name, check } of projections) {
    onPart(name)
    const found = await check(catalogue, storeUuid, limit)
    differences.push(...found.map(({ code, ...one }) => ({ ...one, storeUuid, assetFormat: null, parentCode: code })))
  }
  return differences.slice(0, limit)
}
