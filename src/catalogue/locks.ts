import { crc32 } from 'node:zlib'
import { type RawBuilder, sql } from 'kysely'
import { CatalogueError, storeNotFound } from '../errors.ts'
import { requireVisible, visibleStores, type WriteCatalogue } from './catalogue.ts'
import { findStores } from './stores/stores.ts'

/** The names that a writer changes in a store, or all of them. */
export type Names = Iterable<string> | 'all'

/**
 * What a writer changes: groups of parent codes together with assets of ids and URLs; products of codes; jobs;
 * definitions.
 */
export interface LockRequest {
  groups?: Names
  products?: Names
  jobs?: 'all'
  definitions?: 'all'
}

/** PostgreSQL keeps a transaction's locks in shared memory: the names of a store share this many. */
const buckets = 64
/** A writer that would need more buckets of a store takes the whole store; so does one that writes to many stores. */
const mostBuckets = buckets / 2
const mostStoresByBucket = 4
/** A statement locks one store, and another one writes it. */
const mostStores = 1_000
/** The order of locking. Who writes definitions indexes products then, and may queue a job for that. */
const order = ['definitions', 'groups', 'products', 'jobs'] as const
/** The numbers of the locks on a whole store; those of its buckets follow each. */
const storeLock = {
  groups: -1,
  products: buckets,
  jobs: 2 * buckets + 1,
  definitions: 2 * buckets + 2,
  readiness: 2 * buckets + 3,
}

interface Lock {
  store: number
  number: number
  shared: boolean
}

/**
 * Locks groups, assets, products and jobs of stores until the transaction ends, and returns which of the stores exist.
 * Every writer takes its locks before it reads. A store's own lock is shared by writers that name what they change, and
 * exclusive for others. All locks are taken in one order, so that no two writers wait for each other: a transaction
 * that takes them in several steps keeps to `order`. The fields of a mutation may break it, which is repeated then.
 */
export async function lockStores(
  catalogue: WriteCatalogue,
  requests: ReadonlyMap<string, LockRequest>,
): Promise<Set<string>> {
  const uuids = [...requests.keys()]
  const known = uuids.length > 1 ? [...(await findStores(catalogue, uuids)).keys()] : visibleStores(catalogue, uuids)
  if (known.length > mostStores) {
    const details = `a request must name at most ${mostStores} stores; got ${known.length}`
    throw new CatalogueError('payload_too_large', [{ details }])
  }
  const most = known.length > mostStoresByBucket ? 0 : mostBuckets
  const locked = new Set<string>()
  for (const uuid of known.sort((a, b) => keyOf(a) - keyOf(b))) {
    const locks = takeLocks(uuid, requests.get(uuid) ?? {}, most)
    const { rows } = await sql`select from store where store_uuid = ${uuid} and ${locks}`.execute(catalogue.db)
    if (rows.length > 0) locked.add(uuid)
  }
  return locked
}

/** The same for one store. Returns its UUID; throws `store_not_found`. */
export async function lockStore(catalogue: WriteCatalogue, storeUuid: string, request: LockRequest): Promise<string> {
  const uuid = requireVisible(catalogue, storeUuid)
  const stores = await lockStores(catalogue, new Map([[uuid, request]]))
  if (!stores.has(uuid)) throw storeNotFound('storeUuid', storeUuid)
  return uuid
}

/**
 * A condition, always true, that takes the locks, in a statement on the store's row: where servers share the stores, it
 * takes them on the one that has the row, whichever it is sent to. What they protect is read by the next statement.
 */
export function takeLocks(storeUuid: string, request: LockRequest, most = mostBuckets): RawBuilder<boolean> {
  const locks = locksOf(storeUuid, request, most)
  return sql<boolean>`(
      select count(case when shared then pg_advisory_xact_lock_shared(store, number)::text else pg_advisory_xact_lock(store, number)::text end)
      from unnest(${locks.map((lock) => lock.store)}::integer[], ${locks.map((lock) => lock.number)}::integer[],
        ${locks.map((lock) => lock.shared)}::boolean[]) as l(store, number, shared)
    ) >= 0`
}

export function locksOf(storeUuid: string, request: LockRequest, most = mostBuckets): Lock[] {
  return order.flatMap((kind) => {
    const names = request[kind]
    return names === undefined ? [] : locksOfNames(keyOf(storeUuid), storeLock[kind], names, most)
  })
}

/** Takes the lock on all groups of a store, or on its counts of readiness, if nobody else writes there now. */
export async function tryLock(
  catalogue: WriteCatalogue,
  storeUuid: string,
  what: 'groups' | 'readiness',
): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${keyOf(storeUuid)}::integer, ${storeLock[what]}::integer) as locked
    from store where store_uuid = ${storeUuid}`.execute(catalogue.db)
  return rows[0]?.locked ?? false
}

function locksOfNames(store: number, first: number, names: Names, most: number): Lock[] {
  const numbers =
    names === 'all' ? undefined : new Set(Array.from(names, (name) => first + 1 + (crc32(name) % buckets)))
  if (!numbers || numbers.size > most) return [{ store, number: first, shared: false }]
  const sorted = [...numbers].sort((a, b) => a - b)
  return [{ store, number: first, shared: true }, ...sorted.map((number) => ({ store, number, shared: false }))]
}

function keyOf(storeUuid: string): number {
  return crc32(storeUuid) | 0
}
