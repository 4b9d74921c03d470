import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { sql, type Transaction } from 'kysely'
import { onlyRow } from '../database/only-row.ts'
import type { Database } from '../database/tables.ts'
import { codeOf, isMovedShard } from '../database/unavailable.ts'
import { CatalogueError, storeNotFound } from '../errors.ts'
import { requireVisible, visibleStores, type WriteCatalogue } from './catalogue.ts'
import { findStores } from './stores/stores.ts'

/** The names that a writer changes in a store, or all of them. */
export type LockedNames = Iterable<string> | 'all'

/** What a writer changes. The names of `groups` are parent codes, asset ids and URLs; those of `products` are codes. */
export interface LockRequest {
  groups?: LockedNames
  products?: LockedNames
  jobs?: 'all'
  definitions?: 'all'
}

/** Names of a store that have the same hash share a lock: PostgreSQL keeps the locks in limited shared memory. */
const buckets = 64
/** A writer that needs more buckets of a store locks the whole store. */
const maxBuckets = buckets / 2
/** A writer to more stores locks whole stores. */
const maxStoresByBucket = 4
/** Each store takes a statement that locks it and one that writes it. */
const maxLockedStores = 1_000
/** The order of locking. */
const order = ['definitions', 'groups', 'products', 'jobs'] as const
/** The numbers of the locks on a whole store. The numbers of the buckets of a kind follow its own. */
const storeLock = {
  groups: -1,
  products: buckets,
  jobs: 2 * buckets + 1,
  definitions: 2 * buckets + 2,
  projections: 2 * buckets + 3,
}

interface Lock {
  store: number
  number: number
  shared: boolean
}

/**
 * Locks groups, assets, products and jobs of stores until the transaction ends, and returns which of the stores exist.
 * Every writer takes its locks before it reads. Writers that name what they change share the lock on the whole store;
 * others hold it alone. All writers take locks in the same order, so that they do not wait for each other in a circle.
 * The fields of one mutation may break that order; the mutation is then repeated after a deadlock.
 */
export async function lockStores(
  catalogue: WriteCatalogue,
  requests: ReadonlyMap<string, LockRequest>,
): Promise<Set<string>> {
  const uuids = [...requests.keys()]
  const known = uuids.length > 1 ? [...(await findStores(catalogue, uuids)).keys()] : visibleStores(catalogue, uuids)
  if (known.length > maxLockedStores) {
    const details = `a request must name at most ${maxLockedStores} stores; got ${known.length}`
    throw new CatalogueError('payload_too_large', details)
  }
  const limit = known.length > maxStoresByBucket ? 0 : maxBuckets
  const locked = new Set<string>()
  for (const uuid of known.sort((a, b) => keyOf(a) - keyOf(b))) {
    if (await takeLocks(catalogue.db, uuid, requests.get(uuid) ?? {}, limit)) locked.add(uuid)
  }
  return locked
}

/** Locks one store, and returns its canonical UUID. Throws `store_not_found`. */
export async function lockStore(catalogue: WriteCatalogue, storeUuid: string, request: LockRequest): Promise<string> {
  const uuid = requireVisible(catalogue, storeUuid)
  const stores = await lockStores(catalogue, new Map([[uuid, request]]))
  if (!stores.has(uuid)) throw storeNotFound('storeUuid', storeUuid)
  return uuid
}

/** Takes the locks if there is such a store, and returns whether there is. */
export async function takeLocks(
  db: Transaction<Database>,
  storeUuid: string,
  request: LockRequest,
  limit = maxBuckets,
): Promise<boolean> {
  const locks = JSON.stringify(locksOf(storeUuid, request, limit))
  const { rows } = await sql<{ isFound: boolean }>`
    select lock_store(${storeUuid}::uuid, ${locks}::jsonb) as "isFound"`.execute(db)
  return onlyRow(rows).isFound
}

export function locksOf(storeUuid: string, request: LockRequest, limit = maxBuckets): Lock[] {
  return order.flatMap((kind) => {
    const names = request[kind]
    return names === undefined ? [] : locksOfNames(keyOf(storeUuid), storeLock[kind], names, limit)
  })
}

/**
 * Takes the lock on all groups of a store, or on its projections, unless another transaction holds it; on the server of
 * the store, as `lock_store` does.
 */
export async function tryLock(
  catalogue: WriteCatalogue,
  storeUuid: string,
  what: 'groups' | 'projections',
): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${keyOf(storeUuid)}::integer, ${storeLock[what]}::integer) as locked
    from (select count(*) from attribute_definition where store_uuid = ${storeUuid} and name = '') one`.execute(
    catalogue.db,
  )
  return onlyRow(rows).locked
}

function locksOfNames(store: number, first: number, names: LockedNames, limit: number): Lock[] {
  const numbers =
    names === 'all' ? undefined : new Set(Array.from(names, (name) => first + 1 + (crc32(name) % buckets)))
  if (!numbers || numbers.size > limit) return [{ store, number: first, shared: false }]
  const sorted = [...numbers].sort((a, b) => a - b)
  return [{ store, number: first, shared: true }, ...sorted.map((number) => ({ store, number, shared: false }))]
}

function keyOf(storeUuid: string): number {
  return crc32(storeUuid) | 0
}

const maxAttempts = 4

/** Does the work, and repeats it after a deadlock or serialization failure: it must have been rolled back then. */
export async function repeatedAfterDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maxAttempts || !isRetryable(error)) throw error
      await sleep(Math.random() * 20 * attempt)
    }
  }
}

/** serialization_failure and deadlock_detected. */
function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error)) || isMovedShard(error)
}
