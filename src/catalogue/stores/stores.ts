import { type Kysely, sql } from 'kysely'
import type { Database } from '../../database/tables.ts'
import { invalidRequest, storeNotFound } from '../../errors.ts'
import { shown, storeUuidOf } from '../../text.ts'
import { type Catalogue, requireVisible, visibleStores } from '../catalogue.ts'

export interface Store {
  storeUuid: string
  storeGroup: string
  storeName: string
  storeTaxonomy: string
  region: string[]
  channels: string[]
  defaultAutomation: string[]
  storeWebsite: string | null
  createdAt: Date
}

const columnOf: Record<keyof Store, string> = {
  storeUuid: 'store_uuid',
  storeGroup: 'store_group',
  storeName: 'store_name',
  storeTaxonomy: 'store_taxonomy',
  region: 'region',
  channels: 'channels',
  defaultAutomation: 'default_automation',
  storeWebsite: 'store_website',
  createdAt: 'created_at',
}

/** SQL: the columns of a `Store`. */
export const selectedStore = sql.join(
  Object.entries(columnOf).map(([name, column]) => sql`${sql.ref(column)} as ${sql.id(name)}`),
)

/** SQL: the fields of a row of `store` as a JSON object. */
export const storeFieldsOf = (row: string) =>
  sql`jsonb_build_object(${sql.join(
    Object.entries(columnOf).flatMap(([name, column]) => [sql`${name}::text`, sql.ref(`${row}.${column}`)]),
  )})`

/** The stores among the UUIDs, by UUID. */
export async function findStores(catalogue: Catalogue, storeUuids: readonly string[]): Promise<Map<string, Store>> {
  const uuids = visibleStores(catalogue, storeUuids)
  if (uuids.length === 0) return new Map()
  const { rows } = await sql<Store>`
    select ${selectedStore} from store where store_uuid = any(${uuids}::uuid[])`.execute(catalogue.db)
  return new Map(rows.map((store) => [store.storeUuid, store]))
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
  const { rows } = await sql<{ uuid: string }>`
    select store_uuid as uuid from store where store_name = ${given} order by store_uuid limit 3`.execute(db)
  const [first, ...others] = rows
  if (!first) throw storeNotFound('store', given)
  if (others.length === 0) return first.uuid
  const some = rows.map((row) => row.uuid).join(', ')
  throw invalidRequest(`several stores have the name ${shown(given)}: give the UUID of one, such as ${some}`)
}
