import { sql } from 'kysely'
import { parsedJson } from '../../text.ts'
import type { Origin } from '../catalogue.ts'
import { cursorOf } from './cursor.ts'

/** What a request changes. */
export type CatalogueKind = 'product' | 'asset' | 'link' | 'definition' | 'requirement' | 'store'
/** Readiness, and the end of an import, follow from changes: they are events, but not in histories and receipts. */
export type ChangeKind = CatalogueKind | 'readiness' | 'import'
export type ChangeAction = 'created' | 'updated' | 'deleted' | 'ready' | 'blocked' | 'changed' | 'finished'

/** SQL: whether a row of the ledger has changed the catalogue. */
export const isOfCatalogue = sql<boolean>`kind not in ('readiness', 'import')`

/** One row of the ledger: one action of a request on rows of one kind. */
export interface Change {
  storeUuid: string
  tx: string
  seq: string
  cursor: string
  at: Date
  requestId: string
  actor: string
  via: Origin['via']
  operation: string
  kind: ChangeKind
  action: ChangeAction
  /** Number of products, assets, links, definitions, channels with requirements, stores, or rows of an import. */
  count: number
  /** Of each item. */
  codes: string[]
  /** Of each item: the attribute, `["channel","asset id"]` of a link, the field of a store; see 0005-changes.sql. */
  keys: (string | null)[]
  failed: number
  /** The request that this one reverts. */
  reverts: string | null
}

/** A change, perhaps without its items, which may be very many. */
export type ChangeHead = Omit<Change, 'codes' | 'keys'> & Partial<Pick<Change, 'codes' | 'keys'>>

/** What is read of a change: with its items, or perhaps without them. */
export type ReadChange<HasItems extends boolean> = HasItems extends true ? Change : ChangeHead

/** The table is called `c`. */
export const headColumns = sql`c.store_uuid as "storeUuid", c.tx, c.seq, c.at, c.request_id as "requestId", c.actor,
  c.via, c.operation, c.kind, c.action, c.count, c.failed, c.reverts`

/** All columns but the values from before. As JSON, because arrays of thousands of items take long to parse. */
export const changeColumns = sql`${headColumns}, to_json(c.codes) as codes, to_json(c.keys) as keys`

export type ChangeRow = Omit<Change, 'cursor'>

export function changeOf<Row extends Omit<ChangeHead, 'cursor'>>(row: Row, ledger: string): Row & { cursor: string } {
  return { ...row, cursor: cursorOf(ledger, row) }
}

/** The type of a change as an event, such as `product.updated`. */
export function typeOf({ kind, action }: Pick<Change, 'kind' | 'action'>): string {
  return kind === 'readiness' ? 'readiness.changed' : `${kind}.${action}`
}

export function countsOf({ action, count, failed }: Pick<Change, 'action' | 'count' | 'failed'>) {
  const of = (counted: ChangeAction) => (action === counted ? count : 0)
  return { created: of('created'), updated: of('updated'), deleted: of('deleted'), failed, total: count }
}

/** The distinct keys of a change: attributes (`status` among them), channels of links, fields of a store. */
export function keysOf({ kind, keys }: Pick<Change, 'kind' | 'keys'>): string[] {
  const named = new Set(keys.filter((key) => key !== null))
  return kind === 'link' ? [...new Set([...named].map((key) => linkOf(key)[0] ?? ''))] : [...named]
}

/** The channel and the asset in the key of a link. */
export function linkOf(key: string | null): string[] {
  return (parsedJson(key ?? '[]') ?? []) as string[]
}

/** The distinct codes of a change. */
export function codesOf({ kind, action, codes }: Pick<Change, 'kind' | 'action' | 'codes'>): string[] {
  // Other changes have one item per code.
  const hasRepeated = kind === 'link' || action === 'updated'
  return hasRepeated ? [...new Set(codes)] : codes
}
