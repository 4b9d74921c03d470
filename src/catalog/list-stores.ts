import { sql } from 'kysely'
import type { KeysetPage } from './keyset.ts'
import { containing } from './like.ts'
import { type Store, storeColumns, storeOf } from './stores.ts'
import { storeUuidOf } from './text.ts'
import type { View } from './viewer.ts'

/** Which stores: every condition given must hold. `search`: part of the store name, in any case. */
export interface StoreFilter {
  search?: string | null | undefined
  storeTaxonomy?: string | null | undefined
  region?: string | null | undefined
  channel?: string | null | undefined
  storeGroup?: string | null | undefined
}

/** A page of stores in the order of their UUIDs, which is that of their creation; one row more than `page.limit` tells that there are more. */
export async function listStores(db: View, filter: StoreFilter, page: KeysetPage): Promise<Store[]> {
  const rows = await db
    .selectFrom('store')
    .select(storeColumns)
    .where(matching(db, filter))
    .$if(page.after !== undefined, (q) => q.where('store_uuid', '>', page.after ?? ''))
    .$if(page.before !== undefined, (q) => q.where('store_uuid', '<', page.before ?? ''))
    .orderBy('store_uuid', page.backwards ? 'desc' : 'asc')
    .limit(page.limit)
    .execute()
  return rows.map(storeOf)
}

export async function countStores(db: View, filter: StoreFilter): Promise<number> {
  const row = await db
    .selectFrom('store')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(matching(db, filter))
    .executeTakeFirstOrThrow()
  return row.count
}

/** The stores of the groups, by group, in the order of their creation. */
export async function listStoresOfGroups(db: View, storeGroups: readonly string[]): Promise<Map<string, Store[]>> {
  const { stores } = db.viewer
  const rows = await db
    .selectFrom('store')
    .select(storeColumns)
    .where('store_group', 'in', storeGroups)
    .$if(stores !== undefined, (q) => q.where('store_uuid', '=', sql<string>`any(${[...(stores ?? [])]}::uuid[])`))
    .orderBy('store_uuid')
    .execute()
  return Map.groupBy(rows.map(storeOf), (store) => store.storeGroup)
}

function matching({ viewer: { stores } }: View, filter: StoreFilter) {
  const group = filter.storeGroup == null ? null : storeUuidOf(filter.storeGroup)
  const conditions = [
    stores !== undefined && sql<boolean>`store_uuid = any(${[...stores]}::uuid[])`,
    filter.search != null && sql<boolean>`store_name ilike ${containing(filter.search)}`,
    filter.storeTaxonomy != null && sql<boolean>`store_taxonomy = ${filter.storeTaxonomy}`,
    filter.region != null && sql<boolean>`${filter.region} = any(region)`,
    filter.channel != null && sql<boolean>`${filter.channel} = any(channels)`,
    group === undefined && sql<boolean>`false`,
    group != null && sql<boolean>`store_group = ${group}::uuid`,
  ].filter((condition) => condition !== false)
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}
