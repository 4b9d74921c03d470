import type { Kysely, Transaction } from 'kysely'
import { type Replica, replicaFirst } from '../database/replicas/replica-first.ts'
import type { Database } from '../database/tables.ts'
import { limitedTo } from '../database/tenant.ts'
import { storeNotFound } from '../errors.ts'
import { storeUuidOf } from '../text.ts'
import type { RequestPatterns } from './attributes/request-patterns.ts'

/** Which stores exist for a caller. */
export interface Viewer {
  /** UUIDs in lower case; undefined: every store. */
  readonly stores: ReadonlySet<string> | undefined
}

/** Who writes, as the ledger says it of each change. */
export interface Origin {
  readonly requestId: string
  /** None: the command line. */
  readonly tokenId?: string | undefined
  /** The name of the token, or of the operating system's user. */
  readonly actor: string
  readonly via: 'rest' | 'graphql' | 'cli' | 'job'
  /** The name of the mutation; `import` and the like on the command line and in jobs. */
  readonly operation: string
  /** The request that this one reverts. */
  readonly reverts?: string | undefined
}

/** The database for a viewer: the first parameter of every function that reads or writes the catalogue. */
export interface Catalogue {
  readonly db: Kysely<Database>
  readonly viewer: Viewer
  /** Bounds what one request does with patterns; undefined: values are matched without a bound, in this thread. */
  readonly patterns?: RequestPatterns | undefined
  /** Whose changes the ledger records; undefined: it records nothing. */
  readonly origin?: Origin | undefined
}

/** The same within a transaction, for functions that take locks or write in several statements. */
export interface WriteCatalogue extends Catalogue {
  readonly db: Transaction<Database>
}

/**
 * The catalogue for a viewer, for reads perhaps on a replica. Row-level security limits its statements too where it is
 * limited to some stores.
 */
export function catalogueFor(
  db: Kysely<Database>,
  viewer: Viewer,
  patterns?: RequestPatterns,
  replica?: Replica,
): Catalogue {
  const limited = (whole: Kysely<Database>) => (viewer.stores ? limitedTo(whole, viewer.stores) : whole)
  const own = limited(db)
  return { db: replica ? replicaFirst({ ...replica, db: limited(replica.db) }, own) : own, viewer, patterns }
}

/** The catalogue with every store, for the service itself and the command line, whose user owns the database. */
export function wholeCatalogue(db: Kysely<Database>): Catalogue {
  return { db, viewer: { stores: undefined } }
}

export function inTransaction(catalogue: Catalogue, transaction: Transaction<Database>): WriteCatalogue {
  return { ...catalogue, db: transaction }
}

/** The canonical UUID. Throws `store_not_found` when the store is not visible to the viewer, or the text is no UUID. */
export function requireVisible({ viewer }: Catalogue, storeUuid: string, field = 'storeUuid'): string {
  const uuid = storeUuidOf(storeUuid)
  if (uuid === undefined || viewer.stores?.has(uuid) === false) throw storeNotFound(field, storeUuid)
  return uuid
}

export function visibleStores({ viewer: { stores } }: Catalogue, storeUuids: readonly string[]): string[] {
  return stores ? storeUuids.filter((uuid) => stores.has(uuid)) : [...storeUuids]
}

/** The store to read from: none, null, if the viewer may not see it. */
export function visibleStore({ viewer: { stores } }: Catalogue, storeUuid: string): string | null {
  return (stores?.has(storeUuid) ?? true) ? storeUuid : null
}
