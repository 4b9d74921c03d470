import { type Kysely, sql } from 'kysely'
import type { Database } from '../../database/tables.ts'
import { CatalogueError, invalidRequest } from '../../errors.ts'
import { shown } from '../../text.ts'

/** A place in the order of the feed: after the change with these numbers. They exceed JavaScript's integers. */
export interface Position {
  tx: bigint
  seq: bigint
}

/** How far the ledger of a database goes. */
export interface LedgerState {
  /** Tells the database's cursors from those of others. */
  ledger: string
  /** The last change that is no longer kept. */
  horizon: Position
  /** No transaction before this one is open: what is there of them is complete. */
  oldestOpen: bigint
  /** No transaction from this one on has begun. A replica may not have heard of one yet. */
  nextTx: bigint
  isReplica: boolean
}

/** Where a feed begins that has no earlier changes. */
export const latest = 'latest'

const largest = { tx: 2n ** 64n - 1n, seq: 2n ** 63n - 1n }

/** The ledger's part of cursors. One row, which the planner must know: it would compile a statement for a thousand. */
export const ledgerName = sql`(select left(ledger::text, 8) as ledger from change_horizon limit 1)`

/** A row of the function `ledger_state`. */
export interface LedgerRow {
  ledger: string
  horizon_tx: string
  horizon_seq: string
  oldest_open: string
  next_tx: string
  is_replica: boolean
}

export function ledgerStateOf({
  ledger,
  horizon_tx,
  horizon_seq,
  oldest_open,
  next_tx,
  is_replica,
}: LedgerRow): LedgerState {
  const horizon = { tx: BigInt(horizon_tx), seq: BigInt(horizon_seq) }
  return { ledger, horizon, oldestOpen: BigInt(oldest_open), nextTx: BigInt(next_tx), isReplica: is_replica }
}

export function cursorOf(ledger: string, { tx, seq }: { tx: bigint | string; seq: bigint | string }): string {
  return Buffer.from(`${tx}-${seq}-${ledger}`).toString('base64url')
}

/** The position of a cursor, and the ledger that it is of. Throws `invalid_request`. */
export function readCursor(cursor: string, field = 'after'): Position & { ledger: string } {
  const [text, tx = '', seq = '', ledger = ''] =
    /^(\d{1,20})-(\d{1,19})-([0-9a-f]{8})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const position = { tx: BigInt(tx), seq: BigInt(seq), ledger }
  const isCanonical = text !== undefined && cursorOf(ledger, position) === cursor
  if (isCanonical && position.tx <= largest.tx && position.seq <= largest.seq) return position
  throw invalidRequest([{ field, details: `${field} must be a cursor of changes; got ${shown(cursor)}` }])
}

/** Throws `cursor_expired` if changes after the position may be missing: they are not kept, or of another database. */
export function requireKept(position: Position & { ledger: string }, state: LedgerState, field = 'after'): void {
  const { ledger, horizon, nextTx, isReplica } = state
  const isBeyond = position.tx > nextTx && !isReplica
  if (position.ledger === ledger && !isBeyond && !isBefore(position, horizon)) return
  const oldest = cursorOf(ledger, horizon)
  const details = `changes since this cursor are no longer kept, or it is of another database; the oldest valid cursor is ${oldest}`
  throw new CatalogueError('cursor_expired', [{ field, details }])
}

export function isBefore(one: Position, other: Position): boolean {
  return one.tx < other.tx || (one.tx === other.tx && one.seq < other.seq)
}

/**
 * For how many seconds the oldest writing transaction of the server has been open: so far behind is the feed. Of those
 * of other users only what this user may see counts.
 */
export async function readFeedDelay(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(max(extract(epoch from clock_timestamp() - since)), 0)::float8 as seconds
    from (
      select xact_start as since from pg_stat_activity where backend_xid is not null
      union all select prepared from pg_prepared_xacts
    ) open`.execute(db)
  return rows[0]?.seconds ?? 0
}
