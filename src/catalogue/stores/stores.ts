import { type Kysely, type Selection, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { isServed } from '../../database/connection/connect.ts'
import { onlyRow } from '../../database/only-row.ts'
import type { Database } from '../../database/tables.ts'
import { faultsOf, invalidRequest, requireNoFaults, storeNotFound } from '../../errors.ts'
import { isName, isStorable, lengthOf, shown, storeUuidOf } from '../../text.ts'
import { type Catalogue, requireVisible, visibleStores, type WriteCatalogue } from '../catalogue.ts'
import { definitionColumns, type Item, recordItems } from '../changes/record-changes.ts'
import { type Enumerations, oneOfFault } from '../enumerations.ts'
import { requestBuild } from '../projections/queue.ts'

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
    returning ${returned}`.execute(catalogue.db)
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

/** Changes the given fields; a `storeWebsite` of null clears it. Throws `invalid_request` or `store_not_found`. */
export async function updateStore(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  storeUuid: string,
  changes: Partial<NewStore>,
): Promise<Store> {
  requireNoFaults(storeFaults(enumerations, changes))
  return (await setFields(catalogue, requireVisible(catalogue, storeUuid), changes)).store
}

/** As `updateStore`, but validates nothing: a store had the values. `changed`: how many fields had other values. */
export async function setFields(
  catalogue: WriteCatalogue,
  uuid: string,
  changes: Partial<NewStore>,
): Promise<{ store: Store; changed: number }> {
  const { storeName, storeTaxonomy, region, channels, defaultAutomation, storeWebsite } = changes
  // `changed` reads from `old`, so that `old` locks the row first.
  const { rows } = await sql<Store & { items: Item[] }>`
    with old as (
      select * from store where store_uuid = ${uuid} for no key update
    ), changed as (
      update store set store_name = coalesce(${storeName?.trim() ?? null}, old.store_name),
        store_taxonomy = coalesce(${storeTaxonomy ?? null}, old.store_taxonomy),
        region = coalesce(${region ? unique(region) : null}::text[], old.region),
        channels = coalesce(${channels ? unique(channels) : null}::text[], old.channels),
        default_automation = coalesce(${defaultAutomation ? unique(defaultAutomation) : null}::text[], old.default_automation),
        store_website = case when ${storeWebsite !== undefined} then ${storeWebsite ?? null} else old.store_website end
      from old where store.store_uuid = ${uuid}
      returning store.*
    )
    select ${returned}, (select coalesce(json_agg(i), '[]') from (${changedFields}) i) as items
    from changed`.execute(catalogue.db)
  if (!rows[0]) throw storeNotFound('storeUuid', uuid)
  const { items, ...store } = rows[0]
  await recordItems(catalogue, uuid, items)
  return { store, changed: items.length }
}

const columns = storeColumns.map((selected): [column: string, name: string] => {
  const [column = '', name = column] = selected.split(' as ')
  return [column, name]
})

const returned = sql.join(columns.map(([column, name]) => sql`${sql.ref(column)} as ${sql.id(name)}`))

/** SQL: the fields of a row of `store` as a JSON object. */
export const storeFieldsOf = (row: string) =>
  sql`jsonb_build_object(${sql.join(columns.flatMap(([column, name]) => [sql`${name}::text`, sql.ref(`${row}.${column}`)]))})`

const changedFields = sql`
  select 'store' as kind, 'updated' as action, '' as code, f.key, f.value::text as was
  from old cross join changed cross join lateral jsonb_each(${storeFieldsOf('old')}) f
  where f.value <> ${storeFieldsOf('changed')} -> f.key`

const unique = (values: readonly string[]): string[] => [...new Set(values)]

function storeFaults(enumerations: Enumerations, input: Partial<NewStore>) {
  const { storeName, storeTaxonomy, storeWebsite } = input
  const isNamed = storeName === undefined || isName(storeName.trim(), 200)
  const isWebsite = storeWebsite == null || (isStorable(storeWebsite) && lengthOf(storeWebsite) <= 2048)
  const eachOf = (field: 'region' | 'channels' | 'defaultAutomation', allowed: readonly string[]) =>
    (input[field] ?? []).map((value, i) => [`${field}[${i}]`, oneOfFault(value, allowed)] as const)
  return faultsOf([
    ['storeName', !isNamed && `must have 1 to 200 characters after trimming; got ${shown(storeName)}`],
    ['storeTaxonomy', storeTaxonomy !== undefined && oneOfFault(storeTaxonomy, enumerations.storeTaxonomies)],
    ...eachOf('region', enumerations.regions),
    ...eachOf('channels', enumerations.channels),
    ...eachOf('defaultAutomation', enumerations.defaultAutomations),
    ['storeWebsite', !isWebsite && `must be a text of up to 2048 characters, or null; got ${shown(storeWebsite)}`],
  ])
}

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
