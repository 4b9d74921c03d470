import { sql } from 'kysely'
import type { Origin } from '../catalogue.ts'
import { cursorOf } from './cursor.ts'

export type ChangeKind = 'product' | 'asset' | 'link' | 'definition' | 'requirement' | 'store'
export type ChangeAction = 'created' | 'updated' | 'deleted'

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
  /** Number of products, assets, links, definitions, channels with requirements or stores. */
  count: number
  /** Of each item. */
  codes: string[]
  failed: number
  /** The request that this one reverts. */
  reverts: string | null
}

/** A change without its codes, which may be very many. */
export type ChangeHead = Omit<Change, 'codes'>

/** The table is called `c`. */
export const headColumns = sql`c.store_uuid as "storeUuid", c.tx, c.seq, c.at, c.request_id as "requestId", c.actor,
  c.via, c.operation, c.kind, c.action, c.count, c.failed, c.reverts`

/** All columns but the values from before. */
export const changeColumns = sql`${headColumns}, c.codes`

export type ChangeRow = Omit<Change, 'cursor'>

export function changeOf<Row extends Omit<ChangeHead, 'cursor'>>(row: Row, ledger: string): Row & { cursor: string } {
  return { ...row, cursor: cursorOf(ledger, row) }
}

/** The distinct codes of a change. */
export function codesOf({ kind, action, codes }: Pick<Change, 'kind' | 'action' | 'codes'>): string[] {
  // Other changes have one item per code.
  const hasRepeated = kind === 'link' || action === 'updated'
  return hasRepeated ? [...new Set(codes)] : codes
}
