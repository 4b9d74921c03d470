import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import { invalidRequest, storeNotFound } from '../../errors.ts'
import { storeUuidOf } from '../../text.ts'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { allOf, containing, type KeysetPage, keysetConditions } from '../conditions.ts'
import { findStores, type Store, selectedStore } from './stores.ts'

/** All conditions must hold. `search`: part of the store name, case-insensitive. */
export interface StoreFilter {
  search?: string | null | undefined
  storeTaxonomy?: string | null | undefined
  region?: string | null | undefined
  channel?: string | null | undefined
  storeGroup?: string | null | undefined
}

/** A page of stores in the order of their UUIDs, which is the order of their creation. */
export async function listStores(catalogue: Catalogue, filter: StoreFilter, page: KeysetPage): Promise<Store[]> {
  const conditions = [matching(catalogue, filter), ...keysetConditions(page, 'store_uuid')]
  const { rows } = await sql<Store>`
    select ${selectedStore} from store where ${allOf(conditions)}
    order by store_uuid ${page.backwards ? sql`desc` : sql`asc`} limit ${page.limit}`.execute(catalogue.db)
  return rows
}

/** A page by offset, and the number of matching stores. */
export async function pageStores(catalogue: Catalogue, filter: StoreFilter, offset: number, limit: number) {
  const listed = sql<Store>`
    select ${selectedStore} from store where ${matching(catalogue, filter)}
    order by store_uuid limit ${limit} offset ${offset}`.execute(catalogue.db)
  const [{ rows: stores }, totalStores] = await Promise.all([listed, countStores(catalogue, filter)])
  return { totalStores, stores }
}

export async function countStores(catalogue: Catalogue, filter: StoreFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from store where ${matching(catalogue, filter)}`.execute(catalogue.db)
  return onlyRow(rows).count
}

/** The first stores of each group, in the order of their UUIDs. */
export async function listStoresOfGroups(
  catalogue: Catalogue,
  storeGroups: readonly string[],
  first: number,
): Promise<Map<string, Store[]>> {
  const isAmong = sql<boolean>`store_group = any(${[...storeGroups]}::uuid[])`
  const { rows } = await sql<Store & { nth: string }>`
    select * from (
      select ${selectedStore}, row_number() over (partition by store_group order by store_uuid) as nth
      from store where ${allOf([isAmong, matching(catalogue, {})])}
    ) s
    where nth <= ${first}
    order by "storeUuid"`.execute(catalogue.db)
  return Map.groupBy(rows, (store) => store.storeGroup)
}

export const maxStores = 100

/**
 * The given stores, or all of the viewer. `field`: the name of the list in errors. Throws `store_not_found`, or
 * `invalid_request` for more than `maxStores`.
 */
export async function storesToRead(
  catalogue: Catalogue,
  storeUuids: readonly string[] | null | undefined,
  field = 'storeUuids',
): Promise<Store[]> {
  const tooMany = (details: string) => invalidRequest([{ field, details: `${field} ${details}` }])
  if (storeUuids == null) {
    const stores = await listStores(catalogue, {}, { limit: maxStores + 1, backwards: false })
    if (stores.length <= maxStores) return stores
    throw tooMany(`is required: the token has access to more than ${maxStores} stores; give at most ${maxStores}`)
  }
  if (storeUuids.length > maxStores) throw tooMany(`must have at most ${maxStores} stores; got ${storeUuids.length}`)
  const uuids = [...new Set(storeUuids.map((uuid) => requireVisible(catalogue, uuid, field)))]
  const found = await findStores(catalogue, uuids)
  return uuids.map((uuid) => {
    const store = found.get(uuid)
    if (!store) throw storeNotFound(field, uuid)
    return store
  })
}

function matching({ viewer: { stores } }: Catalogue, filter: StoreFilter) {
  const group = filter.storeGroup == null ? null : storeUuidOf(filter.storeGroup)
  return allOf([
    stores !== undefined && sql<boolean>`store_uuid = any(${[...stores]}::uuid[])`,
    filter.search != null && sql<boolean>`store_name ilike ${containing(filter.search)}`,
    filter.storeTaxonomy != null && sql<boolean>`store_taxonomy = ${filter.storeTaxonomy}`,
    filter.region != null && sql<boolean>`${filter.region} = any(region)`,
    filter.channel != null && sql<boolean>`${filter.channel} = any(channels)`,
    group === undefined && sql<boolean>`false`,
    group != null && sql<boolean>`store_group = ${group}::uuid`,
  ])
}
