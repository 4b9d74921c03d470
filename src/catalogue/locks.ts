import { crc32 } from 'node:zlib'
import { type RawBuilder, sql } from 'kysely'
import { storeNotFound } from '../errors.ts'
import { requireVisible, visibleStores, type WriteCatalogue } from './catalogue.ts'

/** The names that a writer changes in a store, or all of them. */
export type Names = Iterable<string> | 'all'

/** What a writer changes: groups of parent codes together with assets of ids and URLs; products of codes. */
export interface LockRequest {
  groups?: Names
  products?: Names
}

/** PostgreSQL keeps a transaction's locks in shared memory: the names of a store share this many. */
const buckets = 64
/** A writer that would need more buckets of a store takes the whole store; so does one that writes to many stores. */
const mostBuckets = buckets / 2
const mostStoresByBucket = 4
/** The numbers of the locks on a whole store; those of its buckets follow each. Groups are locked before products. */
const storeLock = { groups: -1, products: buckets }

interface Lock {
  store: number
  number: number
  shared: boolean
}

/**
 * Locks groups, assets and products of stores until the transaction ends, and returns which of the stores exist. Every
 * writer takes its locks before it reads. A store's own lock is shared by writers that name what they change, and
 * exclusive for others. All locks are taken in one order, so that no two writers wait for each other.
 */
export async function lockStores(
  catalogue: WriteCatalogue,
  requests: ReadonlyMap<string, LockRequest>,
): Promise<Set<string>> {
  const visible = visibleStores(catalogue, [...requests.keys()])
  if (visible.length === 0) return new Set()
  const locks = takeLocks(new Map(visible.map((storeUuid) => [storeUuid, requests.get(storeUuid) ?? {}])))
  const { rows } = await sql<{ store_uuid: string }>`
    select store_uuid from store where store_uuid = any(${visible}::uuid[]) and ${locks}`.execute(catalogue.db)
  return new Set(rows.map((row) => row.store_uuid))
}

/** The same for one store. Returns its UUID; throws `store_not_found`. */
export async function lockStore(catalogue: WriteCatalogue, storeUuid: string, request: LockRequest): Promise<string> {
  const uuid = requireVisible(catalogue, storeUuid)
  const stores = await lockStores(catalogue, new Map([[uuid, request]]))
  if (!stores.has(uuid)) throw storeNotFound('storeUuid', storeUuid)
  return uuid
}

/** A condition, always true, that takes the locks. What they protect is read by the next statement. */
export function takeLocks(requests: ReadonlyMap<string, LockRequest>): RawBuilder<boolean> {
  const locks = locksOf(requests)
  return sql<boolean>`(
      select count(case when shared then pg_advisory_xact_lock_shared(store, number)::text else pg_advisory_xact_lock(store, number)::text end)
      from unnest(${locks.map((lock) => lock.store)}::integer[], ${locks.map((lock) => lock.number)}::integer[],
        ${locks.map((lock) => lock.shared)}::boolean[]) as l(store, number, shared)
    ) >= 0`
}

export function locksOf(requests: ReadonlyMap<string, LockRequest>): Lock[] {
  const most = requests.size > mostStoresByBucket ? 0 : mostBuckets
  const locks = [...requests].flatMap(([storeUuid, request]) =>
    (['groups', 'products'] as const).flatMap((kind) => {
      const names = request[kind]
      return names === undefined ? [] : locksOfNames(keyOf(storeUuid), storeLock[kind], names, most)
    }),
  )
  return locks.sort((a, b) => a.store - b.store || a.number - b.number)
}

/** Takes the lock on all groups of a store, if nobody else writes there now. */
export async function tryLockGroups(catalogue: WriteCatalogue, storeUuid: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${keyOf(storeUuid)}::integer, ${storeLock.groups}::integer) as locked`.execute(
    catalogue.db,
  )
  return rows[0]?.locked ?? false
}

function locksOfNames(store: number, first: number, names: Names, most: number): Lock[] {
  const numbers =
    names === 'all' ? undefined : new Set(Array.from(names, (name) => first + 1 + (crc32(name) % buckets)))
  if (!numbers || numbers.size > most) return [{ store, number: first, shared: false }]
  return [{ store, number: first, shared: true }, ...[...numbers].map((number) => ({ store, number, shared: false }))]
}

function keyOf(storeUuid: string): number {
  return crc32(storeUuid) | 0
}
