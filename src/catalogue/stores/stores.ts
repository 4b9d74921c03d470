import { type Selectable, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../../database/tables.ts'
import { invalidRequest, storeNotFound } from '../../errors.ts'
import { type Catalogue, requireVisible, visibleStores, type WriteCatalogue } from '../catalogue.ts'
import type { Enumerations } from '../enumerations.ts'
import { type NewStore, storeFaults } from './store-rules.ts'

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

export interface StoreLink {
  linkedStoreId?: string | null | undefined
  copyTaxonomy: boolean
}

export const storeColumns = [
  'store_uuid',
  'store_group',
  'store_name',
  'store_taxonomy',
  'region',
  'channels',
  'default_automation',
  'store_website',
  'created_at',
] as const

/**
 * Creates a store, in a group of its own or in the linked store's (spec: POST /stores). With `copyTaxonomy` it starts
 * with the linked store's attribute definitions. Throws `invalid_request` with every fault, or `store_not_found`.
 */
export async function createStore(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  input: NewStore,
  link: StoreLink,
): Promise<Store> {
  const faults = storeFaults(enumerations, input)
  const linkedStoreId = link.linkedStoreId ?? undefined
  if (link.copyTaxonomy && linkedStoreId === undefined) {
    faults.push({ field: 'copyTaxonomy', details: 'copyTaxonomy needs a linkedStoreId to copy from; none came' })
  }
  if (faults.length > 0) throw invalidRequest(faults)

  const linked = linkedStoreId === undefined ? null : requireVisible(catalogue, linkedStoreId, 'linkedStoreId')
  const row = await insertStore(catalogue, input, linked, link.copyTaxonomy)
  if (!row) throw storeNotFound('linkedStoreId', linkedStoreId ?? '')
  return storeOf(row)
}

/**
 * Changes the given fields of a store; a `storeWebsite` of null clears it. Throws `invalid_request` with every fault,
 * or `store_not_found`. One statement.
 */
export async function updateStore(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  storeUuid: string,
  changes: Partial<NewStore>,
): Promise<Store> {
  const faults = storeFaults(enumerations, changes)
  if (faults.length > 0) throw invalidRequest(faults)
  const uuid = requireVisible(catalogue, storeUuid)
  const row = await catalogue.db
    .updateTable('store')
    .set({
      store_uuid: uuid,
      ...(changes.storeName !== undefined && { store_name: changes.storeName.trim() }),
      ...(changes.storeTaxonomy !== undefined && { store_taxonomy: changes.storeTaxonomy }),
      ...(changes.region && { region: unique(changes.region) }),
      ...(changes.channels && { channels: unique(changes.channels) }),
      ...(changes.defaultAutomation && { default_automation: unique(changes.defaultAutomation) }),
      ...(changes.storeWebsite !== undefined && { store_website: changes.storeWebsite }),
    })
    .where('store_uuid', '=', uuid)
    .returning(storeColumns)
    .executeTakeFirst()
  if (!row) throw storeNotFound('storeUuid', storeUuid)
  return storeOf(row)
}

/** The stores among the UUIDs, by UUID. */
export async function findStores(catalogue: Catalogue, storeUuids: readonly string[]): Promise<Map<string, Store>> {
  const uuids = visibleStores(catalogue, storeUuids)
  if (uuids.length === 0) return new Map()
  const rows = await catalogue.db.selectFrom('store').select(storeColumns).where('store_uuid', 'in', uuids).execute()
  return new Map(rows.map((row) => [row.store_uuid, storeOf(row)]))
}

/** The canonical UUID of a store that exists; throws `store_not_found`, naming `field`, otherwise. */
export async function requireStore(catalogue: Catalogue, storeUuid: string, field = 'storeUuid'): Promise<string> {
  const uuid = requireVisible(catalogue, storeUuid, field)
  const stores = await findStores(catalogue, [uuid])
  if (!stores.has(uuid)) throw storeNotFound(field, storeUuid)
  return uuid
}

async function insertStore(catalogue: WriteCatalogue, input: NewStore, linked: string | null, copyTaxonomy: boolean) {
  const storeUuid = uuidv7()
  const { rows } = await sql<Selectable<Database['store']>>`
    with linked as (
      select store_uuid, store_group from store where store_uuid = ${linked}::uuid
    ), created as (
      insert into store (store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation, store_website)
      select ${storeUuid}::uuid, coalesce((select store_group from linked), ${uuidv7()}::uuid), ${input.storeName.trim()},
        ${input.storeTaxonomy}, ${unique(input.region)}::text[], ${unique(input.channels)}::text[],
        ${unique(input.defaultAutomation)}::text[], ${input.storeWebsite ?? null}
      where ${linked}::uuid is null or exists (select from linked)
      returning ${sql.join(storeColumns.map((column) => sql.ref(column)))}
    ), copied as (
      insert into attribute_definition (store_uuid, name, type, allowed_values, max_length, pattern)
      select created.store_uuid, d.name, d.type, d.allowed_values, d.max_length, d.pattern
      from created, linked join attribute_definition d on d.store_uuid = linked.store_uuid
      where ${copyTaxonomy}
    )
    select ${sql.join(storeColumns.map((column) => sql.ref(column)))} from created`.execute(catalogue.db)
  return rows[0]
}

const unique = (values: readonly string[]): string[] => [...new Set(values)]

/** The store of a row. */
export function storeOf(row: Selectable<Database['store']>): Store {
  return {
    storeUuid: row.store_uuid,
    storeGroup: row.store_group,
    storeName: row.store_name,
    storeTaxonomy: row.store_taxonomy,
    region: row.region,
    channels: row.channels,
    defaultAutomation: row.default_automation,
    storeWebsite: row.store_website,
    createdAt: row.created_at,
  }
}
