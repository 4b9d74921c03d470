import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { isServed } from '../../database/connection/connect.ts'
import { onlyRow } from '../../database/only-row.ts'
import type { Database } from '../../database/tables.ts'
import { faultsOf, invalidRequest, requireNoFaults, storeNotFound } from '../../errors.ts'
import { isName, isStorable, lengthOf, shown, storeUuidOf } from '../../text.ts'
import { type Catalogue, requireVisible, visibleStores, type WriteCatalogue } from '../catalogue.ts'
import { definitionColumns, recordItems } from '../changes/record-changes.ts'
import { type Enumerations, oneOfFault } from '../enumerations.ts'
import { requestBuild } from '../projections/queue.ts'

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

/** The UUID of a store that exists, given by its UUID or by a name that no other store has. Throws a CatalogueError. */
export async function findStoreUuid(db: Kysely<Database>, given: string): Promise<string> {
  const uuid = storeUuidOf(given)
  const isGiven = uuid === undefined ? sql`store_name = ${given}` : sql`store_uuid = ${uuid}`
  const { rows } = await sql<{ uuid: string }>`
    select store_uuid as uuid from store where ${isGiven} order by store_uuid limit 3`.execute(db)
  const [first, ...others] = rows
  if (!first) throw storeNotFound('store', given)
  if (others.length === 0) return first.uuid
  const some = rows.map((row) => row.uuid).join(', ')
  throw invalidRequest(`several stores have the name ${shown(given)}: give the UUID of one, such as ${some}`)
}

export interface NewStore extends Omit<Store, 'storeUuid' | 'storeGroup' | 'createdAt' | 'storeWebsite'> {
  storeWebsite?: string | null | undefined
}

/**
 * Creates a store in the group of the linked store or in a new one (spec: POST /stores). `copyTaxonomy` copies the
 * attribute definitions of the linked store. Throws `invalid_request` with every fault, or `store_not_found`.
 */
export async function createStore(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  input: NewStore,
  { linkedStoreId, copyTaxonomy }: { linkedStoreId?: string | null | undefined; copyTaxonomy: boolean },
): Promise<Store> {
  const sourceFault = copyTaxonomy && linkedStoreId == null && 'needs a linkedStoreId to copy from, which is missing'
  requireNoFaults([...storeFaults(enumerations, input), ...faultsOf([['copyTaxonomy', sourceFault]])])
  const linked = linkedStoreId == null ? undefined : await readLinked(catalogue, linkedStoreId, copyTaxonomy)
  const storeUuid = await newStoreUuid(catalogue)
  const { rows } = await sql<Store>`
    insert into store (store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation,
      store_website)
    values (${storeUuid}, ${linked?.storeGroup ?? uuidv7()}, ${input.storeName.trim()}, ${input.storeTaxonomy},
      ${unique(input.region)}, ${unique(input.channels)}, ${unique(input.defaultAutomation)},
      ${input.storeWebsite ?? null})
    returning ${selectedStore}`.execute(catalogue.db)
  const names = linked?.definitions ? await copyDefinitions(catalogue, storeUuid, linked.definitions) : []
  const created = { action: 'created', key: null, was: null } as const
  const definitions = names.map((code) => ({ ...created, kind: 'definition' as const, code }))
  await recordItems(catalogue, storeUuid, [{ ...created, kind: 'store', code: '' }, ...definitions])
  return onlyRow(rows)
}

const maxUuids = 20

/** A UUID that belongs to a server that is not lost, where there are several servers; the last one may be another. */
async function newStoreUuid({ db }: WriteCatalogue): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const uuid = uuidv7()
    if (attempt === maxUuids || (await isServed(db, uuid))) return uuid
  }
}

/** Returns the names of the definitions, which are JSON. */
async function copyDefinitions(catalogue: WriteCatalogue, storeUuid: string, definitions: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    insert into attribute_definition (store_uuid, ${definitionColumns})
    select ${storeUuid}::uuid, ${definitionColumns}
    from json_populate_recordset(null::attribute_definition, ${definitions}::json)
    returning name`.execute(catalogue.db)
  await requestBuild(catalogue, storeUuid)
  return rows.map(({ name }) => name)
}

/** The group of a store, and the definitions to copy as JSON. Throws `store_not_found`. */
async function readLinked(catalogue: WriteCatalogue, linkedStoreId: string, copyTaxonomy: boolean) {
  const uuid = requireVisible(catalogue, linkedStoreId, 'linkedStoreId')
  const { rows } = await sql<{ storeGroup: string; definitions: string | null }>`
    with linked as materialized (select store_group from store where store_uuid = ${uuid})
    select store_group as "storeGroup", ${copyTaxonomy ? definitionsOf(uuid) : sql`null`} as definitions
    from linked`.execute(catalogue.db)
  const [store] = rows
  if (!store) throw storeNotFound('linkedStoreId', linkedStoreId)
  return store
}

const definitionsOf = (uuid: string) => sql`(
      select json_agg(d)::text from attribute_definition d where d.store_uuid = ${uuid}
    )`

/** The faults of the given fields, also of those of a change. */
export function storeFaults(enumerations: Enumerations, input: Partial<NewStore>) {
  const { storeName, storeTaxonomy, storeWebsite } = input
  const isNamed = storeName === undefined || isName(storeName.trim(), 200)
  const isWebsite = storeWebsite == null || (isStorable(storeWebsite) && lengthOf(storeWebsite) <= 2048)
  const eachOf = (field: 'region' | 'channels' | 'defaultAutomation', allowed: readonly string[]) =>
    (input[field] ?? []).map((value, i) => [`${field}[${i}]`, oneOfFault(value, allowed)] as const)
  return faultsOf([
    [
      'storeName',
      !isNamed &&
        `must have 1 to 200 characters after trimming, without NUL or lone surrogates; got ${shown(storeName)}`,
    ],
    ['storeTaxonomy', storeTaxonomy !== undefined && oneOfFault(storeTaxonomy, enumerations.storeTaxonomies)],
    ...eachOf('region', enumerations.regions),
    ...eachOf('channels', enumerations.channels),
    ...eachOf('defaultAutomation', enumerations.defaultAutomations),
    ['storeWebsite', !isWebsite && `must be a text of up to 2048 characters, or null; got ${shown(storeWebsite)}`],
  ])
}

/** Each value once. */
export const unique = (values: readonly string[]): string[] => [...new Set(values)]
