import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'
import { canLimit, limitedTo } from '../database/tenant.ts'
import { storeUuidOf } from './text.ts'

/** Whoever looks at the catalogue: which stores are there for them. */
export interface Viewer {
  /** UUIDs in lower case; undefined: every store. */
  readonly stores: ReadonlySet<string> | undefined
}

interface Seen {
  readonly viewer: Viewer
}

/** The catalogue as a viewer sees it. Every query function takes one: what is read or written without a viewer does not compile. */
export type View = Kysely<Database> & Seen

/** The same within a transaction. */
export type WriteView = Transaction<Database> & Seen

const everyone: Viewer = { stores: undefined }
const views = new WeakMap<Kysely<Database>, WeakMap<Viewer, View>>()

/**
 * The catalogue as the viewer sees it. Where stores limit the viewer, PostgreSQL's row-level security stands behind what the query functions leave
 * out; where none do, the database is asked as it is, and nothing more.
 */
export function viewOf(db: Kysely<Database>, viewer: Viewer): View {
  if (viewer.stores === undefined) return wholeCatalogue(db)
  const known = views.get(db) ?? new WeakMap<Viewer, View>()
  views.set(db, known)
  const view = known.get(viewer) ?? seenBy(limitedTo(db, viewer.stores, canLimit(db)), viewer)
  known.set(viewer, view)
  return view
}

/** The whole catalogue, for what acts for the service itself: the command line, whose user owns the database. */
export function wholeCatalogue(db: Kysely<Database>): View {
  return seenBy(db, everyone)
}

/** The catalogue as the viewer sees it in a transaction of the database's, which somebody else ends. */
export function viewWithin(db: Kysely<Database>, transaction: Transaction<Database>, viewer: Viewer): View {
  return seenBy(viewer.stores ? limitedTo(transaction, viewer.stores, canLimit(db)) : transaction, viewer)
}

/** The transaction as the viewer who began it sees the catalogue. */
export function within(view: View, transaction: Transaction<Database>): WriteView {
  return seenBy(transaction, view.viewer)
}

function seenBy<Db extends Kysely<Database>>(db: Db, viewer: Viewer): Db & Seen {
  return Object.assign(db, { viewer })
}

/** The canonical UUID of the store, or undefined when it is not there for the viewer, or is none: the two look alike, before anything is asked. */
export function visibleStore({ viewer }: Seen, storeUuid: string): string | undefined {
  const uuid = storeUuidOf(storeUuid)
  return uuid !== undefined && (viewer.stores?.has(uuid) ?? true) ? uuid : undefined
}

/** Those of the stores that are there for the viewer. */
export function visibleStores({ viewer: { stores } }: Seen, storeUuids: readonly string[]): string[] {
  return stores ? storeUuids.filter((uuid) => stores.has(uuid)) : [...storeUuids]
}

/** Those of the keys whose stores are there for the viewer. */
export function visibleKeys<Key extends { storeUuid: string }>(view: Seen, keys: readonly Key[]): readonly Key[] {
  const { stores } = view.viewer
  return stores ? keys.filter(({ storeUuid }) => stores.has(storeUuid)) : keys
}
