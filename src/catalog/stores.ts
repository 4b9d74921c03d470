import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../database/tables.ts'
import { invalidRequest, storeNotFound } from '../errors.ts'
import type { Enumerations } from './enumerations.ts'
import type { KeysetPage } from './keyset.ts'
import { containing } from './like.ts'
import { judgeStore } from './store-rules.ts'
import { storeUuidOf } from './text.ts'

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

export interface NewStore {
  storeName: string
  storeTaxonomy: string
  region: readonly string[]
  channels: readonly string[]
  defaultAutomation: readonly string[]
  storeWebsite?: string | null | undefined
}

export interface StoreLink {
  linkedStoreId?: string | null | undefined
  copyTaxonomy: boolean
}

export interface StoreFilter {
  search?: string | null | undefined
  storeTaxonomy?: string | null | undefined
  region?: string | null | undefined
  channel?: string | null | undefined
  storeGroup?: string | null | undefined
}

const columns = [
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
 * Creates a store, in a group of its own or in the linked store's (spec: POST /stores). With `copyTaxonomy` it starts with
 * the linked store's attribute definitions. Throws `invalid_request` with every fault, or `store_not_found`.
 */
export async function createStore(
  db: Transaction<Database>,
  enumerations: Enumerations,
  input: NewStore,
  link: StoreLink,
): Promise<Store> {
  const faults = judgeStore(enumerations, input)
  const linkedStoreId = link.linkedStoreId ?? undefined
  if (link.copyTaxonomy && linkedStoreId === undefined) {
    faults.push({ field: 'copyTaxonomy', details: 'copyTaxonomy needs a linkedStoreId to copy from; none came' })
  }
  if (faults.length > 0) throw invalidRequest(faults)

  const linked = linkedStoreId === undefined ? null : storeUuidOf(linkedStoreId)
  if (linked === undefined) throw storeNotFound('linkedStoreId', linkedStoreId ?? '')
  const row = await insertStore(db, input, linked, link.copyTaxonomy)
  if (!row) throw storeNotFound('linkedStoreId', linkedStoreId ?? '')
  return storeOf(row)
}

/** The stores among the UUIDs, by UUID. */
export async function findStores(db: Kysely<Database>, storeUuids: readonly string[]): Promise<Map<string, Store>> {
  const rows = await db.selectFrom('store').select(columns).where('store_uuid', 'in', storeUuids).execute()
  return new Map(rows.map((row) => [row.store_uuid, storeOf(row)]))
}

/** A page of stores in the order of their UUIDs, which is that of their creation; one row more than `page.limit` tells that there are more. */
export async function listStores(db: Kysely<Database>, filter: StoreFilter, page: KeysetPage): Promise<Store[]> {
  const rows = await db
    .selectFrom('store')
    .select(columns)
    .where(matching(filter))
    .$if(page.after !== undefined, (q) => q.where('store_uuid', '>', page.after ?? ''))
    .$if(page.before !== undefined, (q) => q.where('store_uuid', '<', page.before ?? ''))
    .orderBy('store_uuid', page.backwards ? 'desc' : 'asc')
    .limit(page.limit)
    .execute()
  return rows.map(storeOf)
}

export async function countStores(db: Kysely<Database>, filter: StoreFilter): Promise<number> {
  const row = await db
    .selectFrom('store')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(matching(filter))
    .executeTakeFirstOrThrow()
  return row.count
}

/** The stores of the groups, by group, in the order of their creation. */
export async function listStoresOfGroups(
  db: Kysely<Database>,
  storeGroups: readonly string[],
): Promise<Map<string, Store[]>> {
  const rows = await db
    .selectFrom('store')
    .select(columns)
    .where('store_group', 'in', storeGroups)
    .orderBy('store_uuid')
    .execute()
  return Map.groupBy(rows.map(storeOf), (store) => store.storeGroup)
}

/** The UUID of the store if there is one of that name in any case; throws `store_not_found` naming `field` otherwise. */
export async function requireStore(db: Kysely<Database>, storeUuid: string, field = 'storeUuid'): Promise<string> {
  const uuid = storeUuidOf(storeUuid)
  const row =
    uuid && (await db.selectFrom('store').select('store_uuid').where('store_uuid', '=', uuid).executeTakeFirst())
  if (!row) throw storeNotFound(field, storeUuid)
  return row.store_uuid
}

async function insertStore(db: Transaction<Database>, input: NewStore, linked: string | null, copyTaxonomy: boolean) {
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
      returning ${sql.join(columns.map((column) => sql.ref(column)))}
    ), copied as (
      insert into attribute_definition (store_uuid, name, type, allowed_values, max_length, pattern)
      select created.store_uuid, d.name, d.type, d.allowed_values, d.max_length, d.pattern
      from created, linked join attribute_definition d on d.store_uuid = linked.store_uuid
      where ${copyTaxonomy}
    )
    select ${sql.join(columns.map((column) => sql.ref(column)))} from created`.execute(db)
  return rows[0]
}

function matching(filter: StoreFilter) {
  const group = filter.storeGroup == null ? null : storeUuidOf(filter.storeGroup)
  const conditions = [
    filter.search != null && sql<boolean>`store_name ilike ${containing(filter.search)}`,
    filter.storeTaxonomy != null && sql<boolean>`store_taxonomy = ${filter.storeTaxonomy}`,
    filter.region != null && sql<boolean>`${filter.region} = any(region)`,
    filter.channel != null && sql<boolean>`${filter.channel} = any(channels)`,
    group === undefined && sql<boolean>`false`,
    group != null && sql<boolean>`store_group = ${group}::uuid`,
  ].filter((condition) => condition !== false)
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

const unique = (values: readonly string[]): string[] => [...new Set(values)]

function storeOf(row: Selectable<Database['store']>): Store {
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
