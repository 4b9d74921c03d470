import { sql } from 'kysely'
import { CatalogueError, invalidRequest } from '../../errors.ts'
import { shown } from '../../text.ts'

/** A position in the feed: after the change with these numbers, which may exceed JavaScript's integers. */
export interface FeedPosition {
  tx: bigint
  seq: bigint
}

/** What a cursor has: a position, and of which database's ledger. */
export interface LedgerPosition extends FeedPosition {
  ledger: string
}

/** The state of a database's ledger: a row of the function `ledger_state`. */
export interface LedgerState {
  /** A part of the cursors: those of other databases are refused. */
  ledger: string
  /** The last change that is no longer kept. */
  horizon_tx: string
  horizon_seq: string
  /** All transactions before this one have ended. */
  oldest_open: string
  /** The next transaction to begin. A replica may not know of the latest ones. */
  next_tx: string
  is_replica: boolean
}

/** In place of a cursor: after all changes so far. */
export const latest = 'latest'

const largest = { tx: 2n ** 64n - 1n, seq: 2n ** 63n - 1n }

/** There is one row. Without `limit` the planner would expect a thousand, and compile the statement. */
export const ledgerName = sql`(select left(ledger::text, 8) as ledger from change_horizon limit 1)`

/**
 * After a crash, PostgreSQL may assign the number of a transaction again that had not reached the WAL. Numbers before
 * the last checkpoint are safe, and so are those of visible changes, but for Citus: there the numbers are those of the
 * coordinator, and the changes are on its workers.
 */
export const durable = sql`
  select least(oldest_open, ((split_part(next_xid, ':', 1)::bigint << 32) + split_part(next_xid, ':', 2)::bigint)::text::xid8)
    as durable_tx
  from pg_control_checkpoint()`

/** The numbers of a change, in either of their forms. */
type Numbers = Record<'tx' | 'seq', bigint | string>

export function cursorOf(ledger: string, { tx, seq }: Numbers): string {
  return cursorOfText(textOfPosition({ tx, seq, ledger }))
}

export function cursorOfText(text: string): string {
  return Buffer.from(text).toString('base64url')
}

/** A cursor in clear, which statements can read. */
export function textOfPosition({ tx, seq, ledger }: Numbers & { ledger: string }): string {
  return `${tx}-${seq}-${ledger}`
}

export function positionOfText(text: string): LedgerPosition {
  const [tx = '', seq = '', ledger = ''] = text.split('-')
  return { ...feedPosition(tx, seq), ledger }
}

/** The position to begin after; undefined without a cursor, and for `latest`. Throws `invalid_request`. */
export function startOf(after: string | null | undefined, field?: string): LedgerPosition | undefined {
  return after == null || after === latest ? undefined : readCursor(after, field)
}

/** The position and the ledger of a cursor. Throws `invalid_request`. */
export function readCursor(cursor: string, field = 'after'): LedgerPosition {
  const [text, tx = '', seq = '', ledger = ''] =
    /^(\d{1,20})-(\d{1,19})-([0-9a-f]{8})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const position = { ...feedPosition(tx, seq), ledger }
  const isCanonical = text !== undefined && cursorOf(ledger, position) === cursor
  if (isCanonical && position.tx <= largest.tx && position.seq <= largest.seq) return position
  throw invalidRequest([{ field, details: `${field} must be a cursor of changes; got ${shown(cursor)}` }])
}

/** Throws `cursor_expired` if changes after the position are no longer kept, or it is of another database. */
export function requireKept(position: LedgerPosition, state: LedgerState, field = 'after'): void {
  const horizon = feedPosition(state.horizon_tx, state.horizon_seq)
  const isFuturePosition = position.tx > BigInt(state.next_tx) && !state.is_replica
  requireSameLedger(position, state, field)
  if (isFuturePosition || isBefore(position, horizon)) throw cursorExpired(state, field)
}

/** Throws `cursor_expired` if a position is of another database. */
export function requireSameLedger({ ledger }: { ledger: string }, state: LedgerState, field = 'after'): void {
  if (ledger !== state.ledger) throw cursorExpired(state, field)
}

function cursorExpired(state: LedgerState, field: string): CatalogueError {
  const oldest = cursorOf(state.ledger, feedPosition(state.horizon_tx, state.horizon_seq))
  const details = `changes since this cursor are no longer kept, or it is of another database; the oldest valid cursor is ${oldest}`
  return new CatalogueError('cursor_expired', [{ field, details }])
}

export function feedPosition(tx: string | number, seq: string | number): FeedPosition {
  return { tx: BigInt(tx), seq: BigInt(seq) }
}

export function isBefore(one: FeedPosition, other: FeedPosition): boolean {
  return one.tx < other.tx || (one.tx === other.tx && one.seq < other.seq)
}

/** The last one of positions. */
export function latestOf(positions: readonly (FeedPosition | undefined)[]): FeedPosition {
  return positions.reduce<FeedPosition>((last, one) => (one && isBefore(last, one) ? one : last), feedPosition(0, 0))
}
