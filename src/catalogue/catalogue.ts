import type { Kysely, Transaction } from 'kysely'
import { type Replica, replicaFirst } from '../database/replicas/replica-first.ts'
import type { Database } from '../database/tables.ts'
import { limitedTo } from '../database/tenant.ts'
import { storeNotFound } from '../errors.ts'
import type { Viewer } from '../request/caller.ts'
import { storeUuidOf } from '../text.ts'
import type { RequestPatterns } from './attributes/patterns.ts'

/** The author of changes, as the ledger records it. */
export interface Origin {
  readonly requestId: string
  /** Undefined on the command line. */
  readonly tokenId?: string | undefined
  /** The name of the token or of the operating system's user. */
  readonly actor: string
  readonly via: 'rest' | 'graphql' | 'cli' | 'job'
  /** The mutation, or the command or kind of job, such as `import`. */
  readonly operation: string
  /** The id of the request that this one reverts. */
  readonly reverts?: string | undefined
}

/** The database for a viewer: the first parameter of every function that reads or writes the catalogue. */
export interface Catalogue {
  readonly db: Kysely<Database>
  /** Whether what is written may still be rolled back. The database of a limited viewer does not say so. */
  readonly isInTransaction: boolean
  readonly viewer: Viewer
  /** Bounds the matching of patterns in a request. Without it, values are matched without a bound, in this thread. */
  readonly patterns?: RequestPatterns | undefined
  /** Waits until what is derived from the products of a store is up to date, where the request asks for the latest. */
  readonly waitForProjections?: ((storeUuid: string) => Promise<void>) | undefined
  /** The author of the changes. Without it, the ledger records none. */
  readonly origin?: Origin | undefined
}

/** A catalogue in a transaction, for functions that take locks or write in several statements. */
export interface WriteCatalogue extends Catalogue {
  readonly db: Transaction<Database>
}

/**
 * The catalogue for a viewer, which reads from the replica if there is one. If the viewer sees only some stores,
 * row-level security also limits the statements to these.
 */
export function catalogueFor(
  db: Kysely<Database>,
  viewer: Viewer,
  patterns?: RequestPatterns,
  replica?: Replica,
): Catalogue {
  const limited = (whole: Kysely<Database>) => (viewer.stores ? limitedTo(whole, viewer.stores) : whole)
  const own = limited(db)
  const readsFirst = replica ? replicaFirst({ ...replica, db: limited(replica.db) }, own) : own
  return { db: readsFirst, isInTransaction: db.isTransaction, viewer, patterns }
}

/** The catalogue with every store, for the service itself and the command line. */
export function wholeCatalogue(db: Kysely<Database>): Catalogue {
  return { db, isInTransaction: db.isTransaction, viewer: { stores: undefined } }
}

/** The catalogue in a transaction that has begun. */
export function joinTransaction(catalogue: Catalogue, transaction: Transaction<Database>): WriteCatalogue {
  return { ...catalogue, db: transaction, isInTransaction: true }
}

/** The canonical UUID. Throws `store_not_found` if the viewer does not see the store, or the text is no UUID. */
export function requireVisible({ viewer }: Catalogue, storeUuid: string, field = 'storeUuid'): string {
  const uuid = storeUuidOf(storeUuid)
  if (uuid === undefined || viewer.stores?.has(uuid) === false) throw storeNotFound(field, storeUuid)
  return uuid
}

export function visibleStores({ viewer: { stores } }: Catalogue, storeUuids: readonly string[]): string[] {
  return stores ? storeUuids.filter((uuid) => stores.has(uuid)) : [...storeUuids]
}

/** The UUID, or null if the viewer does not see the store. */
export function visibleStore({ viewer: { stores } }: Catalogue, storeUuid: string): string | null {
  return (stores?.has(storeUuid) ?? true) ? storeUuid : null
}

/** The author of changes as the functions of the database take it; null: they record none. */
export function jsonOfOrigin({ origin }: Catalogue): string | null {
  return origin ? JSON.stringify(origin) : null
}

/** The results of work for each store, in the order of the stores; a few at a time. */
export async function mapStores<T>(
  storeUuids: readonly string[],
  work: (uuid: string) => Promise<T>,
  atOnce = 4,
): Promise<T[]> {
  const results: T[] = []
  for (let begin = 0; begin < storeUuids.length; begin += atOnce) {
    results.push(...(await Promise.all(storeUuids.slice(begin, begin + atOnce).map(work))))
  }
  return results
}
