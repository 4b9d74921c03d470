import { type Kysely, sql } from 'kysely'
import type { Change } from '../catalogue/changes/change.ts'
import { changesOf, type PageRow, pageOfChanges } from '../catalogue/changes/change-page.ts'
import {
  durable,
  feedPosition,
  type LedgerPosition,
  type LedgerState,
  latestOf,
  requireKept,
} from '../catalogue/changes/cursor.ts'
import { onlyRow } from '../database/only-row.ts'
import type { Database } from '../database/tables.ts'

export interface NewChanges {
  /** In the order of the feed. */
  changes: Change[]
  /** The position of the cursor after them. Without any it may be later than the given one. */
  next: LedgerPosition
  /** The position up to which all are read. After a crash of the database a cursor must not have it. */
  seen: LedgerPosition
  /** The same that a crash leaves valid, also where the given one would not be. It may be before that one. */
  durable: LedgerPosition
  hasMore: boolean
  /** The time of the database when they were read, and the first transaction that had not begun. */
  asOf: { time: Date; nextTx: bigint }
}

type StateRow = LedgerState & { durable_tx: string; time: Date }

const maxChanges = 500
/** Of a page that is kept until a client, which may be slow, has its changes: there are many of these. */
export const maxKeptBytes = 256 * 1024

interface PageOptions {
  /** A time before all changes, which saves the search of older days. */
  since?: Date | undefined
  /** Of the items. Default: 2 MiB. */
  maxBytes?: number
}

/**
 * The changes of stores after a position, in the order and with the delay of their feeds: at most 500. `stores`:
 * undefined for all. Throws `cursor_expired`.
 */
export async function readNewChanges(
  db: Kysely<Database>,
  stores: readonly string[] | undefined,
  after: LedgerPosition,
  { since, maxBytes }: PageOptions = {},
): Promise<NewChanges> {
  const size = maxChanges + 1
  const found = sql`changes_of_stores(${listOf(stores)}::uuid[], ${String(after.tx)}::xid8, ${String(after.seq)}::bigint,
    state.oldest_open, coalesce(${since ?? null}::timestamptz, '-infinity'), ${size}::integer)`
  const { rows } = await sql<StateRow & PageRow>`
    select state.*, d.durable_tx, now() as time, page.* from ledger_state() state cross join lateral (${durable}) d
      left join lateral (${pageOfChanges(found, sql`k.tx, k.seq`, size, true, maxBytes)}) page on true
    order by page.tx, page.seq`.execute(db)
  const state = onlyRow(rows)
  requireKept(after, state)
  const { changes, hasMore } = changesOf<true>(rows, state.ledger, maxChanges)
  const last = changes.at(-1)
  const end = last && feedPosition(last.tx, last.seq)
  const isAll = !hasMore || !end
  const { ledger } = state
  const kept = isAll ? latestOf([end, feedPosition(state.durable_tx, 0)]) : end
  const next = latestOf([after, kept])
  const seen = isAll ? latestOf([next, feedPosition(state.oldest_open, 0)]) : end
  const asOf = { time: state.time, nextTx: BigInt(state.next_tx) }
  return {
    changes,
    next: { ...next, ledger },
    seen: { ...seen, ledger },
    durable: { ...kept, ledger },
    hasMore,
    asOf,
  }
}

/** Throws `cursor_expired` if changes after the position are no longer kept. */
export async function requireKeptChanges(db: Kysely<Database>, after: LedgerPosition, field?: string): Promise<void> {
  const { rows } = await sql<LedgerState>`select * from ledger_state()`.execute(db)
  requireKept(after, onlyRow(rows), field)
}

const listOf = (stores: readonly string[] | undefined) => (stores ? [...stores] : null)

/** The position that no earlier change of the stores follows; undefined: of all stores. */
export async function latestPosition(
  db: Kysely<Database>,
  stores: readonly string[] | undefined,
): Promise<LedgerPosition> {
  const { rows } = await sql<StateRow & { tx: string | null; seq: string }>`
    select state.*, d.durable_tx, l.* from ledger_state() state cross join lateral (${durable}) d
      left join lateral (
        select tx, seq from last_changes(${listOf(stores)}::uuid[], state.oldest_open) order by tx desc, seq desc limit 1
      ) l on true`.execute(db)
  const state = onlyRow(rows)
  const last = state.tx === null ? undefined : feedPosition(state.tx, state.seq)
  const horizon = feedPosition(state.horizon_tx, state.horizon_seq)
  return { ...latestOf([last, horizon, feedPosition(state.durable_tx, 0)]), ledger: state.ledger }
}
