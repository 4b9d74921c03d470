import { type Kysely, type Selection, sql } from 'kysely'
import type { Database } from '../../database/tables.ts'
import { invalidRequest, storeNotFound } from '../../errors.ts'
import { shown, storeUuidOf } from '../../text.ts'
import { type Catalogue, requireVisible, visibleStores } from '../catalogue.ts'

export const storeColumns = [
  'store_uuid as storeUuid',
  'store_group as storeGroup',
  'store_name as storeName',
  'store_taxonomy as storeTaxonomy',
  'region',
  'channels',
  'default_automation as defaultAutomation',
  'store_website as storeWebsite',
  'created_at as createdAt',
] as const

export type Store = Selection<Database, 'store', (typeof storeColumns)[number]>

/** The stores among the UUIDs, by UUID. */
export async function findStores(catalogue: Catalogue, storeUuids: readonly string[]): Promise<Map<string, Store>> {
  const uuids = visibleStores(catalogue, storeUuids)
  if (uuids.length === 0) return new Map()
  const stores = await catalogue.db
    .selectFrom('store')
    .select(storeColumns)
    .where(sql<boolean>`store_uuid = any(${uuids}::uuid[])`)
    .execute()
  return new Map(stores.map((store) => [store.storeUuid, store]))
}

/** The canonical UUID of a store. Throws `store_not_found` for `field` if there is no such store. */
export async function requireStore(catalogue: Catalogue, storeUuid: string, field = 'storeUuid'): Promise<string> {
  const uuid = requireVisible(catalogue, storeUuid, field)
  const stores = await findStores(catalogue, [uuid])
  if (!stores.has(uuid)) throw storeNotFound(field, storeUuid)
  return uuid
}

/** The UUID of a store given by its UUID or by a name that no other store has. Throws a CatalogueError. */
export async function findStoreUuid(db: Kysely<Database>, given: string): Promise<string> {
  const uuid = storeUuidOf(given)
  if (uuid !== undefined) return uuid
  const named = db.selectFrom('store').select('store_uuid').where('store_name', '=', given)
  const [first, ...others] = await named.orderBy('store_uuid').limit(3).execute()
  if (!first) throw storeNotFound('store', given)
  if (others.length === 0) return first.store_uuid
  const some = [first, ...others].map(({ store_uuid }) => store_uuid).join(', ')
  throw invalidRequest(`several stores have the name ${shown(given)}: give the UUID of one, such as ${some}`)
}

const columns = storeColumns.map((selected): [column: string, name: string] => {
  const [column = '', name = column] = selected.split(' as ')
  return [column, name]
})

/** SQL: the columns of a `Store`. */
export const selectedStore = sql.join(columns.map(([column, name]) => sql`${sql.ref(column)} as ${sql.id(name)}`))

/** SQL: the fields of a row of `store` as a JSON object. */
export const storeFieldsOf = (row: string) =>
  sql`jsonb_build_object(${sql.join(columns.flatMap(([column, name]) => [sql`${name}::text`, sql.ref(`${row}.${column}`)]))})`
