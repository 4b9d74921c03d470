import { sql } from 'kysely'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import { cursorOf } from '../changes/cursor.ts'
import { tryLock } from '../locks.ts'
import { write } from '../transaction.ts'
import type { Counts } from './counts.ts'
import type { Requirement } from './requirements.ts'

/** The position of the reader in a store, and its counts. */
export interface ReaderState {
  now: Date
  /** Undefined before the first count. */
  cursor: string | undefined
  /** Transactions after the cursor whose changes `total` already includes. */
  counted: string[]
  total: number
  asOf: Date
  /** The number of the last change of requirements. */
  requested: number
  /** The number of the last change whose counts are complete. */
  done: number
  wanted: { channel: string; requirements: Requirement[] }[]
  counts: Counts[]
}

type Row = Omit<ReaderState, 'cursor'> & { ledger: string | null; tx: string; seq: string }

/** Undefined if the store has no requirements. */
async function readState({ db }: WriteCatalogue, uuid: string): Promise<ReaderState | undefined> {
  const { rows } = await sql<Row>`
    select now() as now, ledger, tx, seq, counted::text[] as counted, total, as_of as "asOf", requested, done, (
        select coalesce(json_agg(json_build_object('channel', channel, 'requirements', requirements)), '[]')
        from channel_requirement where store_uuid = ${uuid}
      ) as wanted, (
        select coalesce(json_agg(json_build_object('channel', channel, 'build', build, 'state', state, 'requirements',
          requirements, 'countedTo', counted_to, 'missing', missing, 'blocked', blocked, 'isStale', as_of is not null)), '[]')
        from channel_readiness where store_uuid = ${uuid}
      ) as counts
    from change_reader where store_uuid = ${uuid}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { ledger, tx, seq, ...state } = row
  return { ...state, cursor: ledger === null ? undefined : cursorOf(ledger, { tx, seq }) }
}

/**
 * Time as of which counts at a position are exact: that of the first change after it, or now. The statement reads no
 * table: on Citus, only the coordinator knows the transactions of the ledger.
 */
export async function timeOf(
  { db }: Catalogue,
  uuid: string | null,
  { tx, seq }: { tx: string | null; seq: string | null },
): Promise<Date> {
  const { rows } = await sql<{ asOf: Date }>`
    select coalesce((
      select at from changes_after(${uuid}::uuid, ${tx}::xid8, ${seq}::bigint, pg_snapshot_xmax(pg_current_snapshot()),
        null, null, '-infinity', 'infinity', 1)
    ), now()) as "asOf"`.execute(db)
  return rows[0]?.asOf ?? new Date(0)
}

/** Runs a transaction of the reader under the store's lock. `locked`: another process is working in the store. */
export function inStore<T>(
  catalogue: Catalogue,
  uuid: string,
  work: (work: WriteCatalogue, state: ReaderState) => Promise<T>,
): Promise<T | 'locked' | undefined> {
  return write(catalogue, false, async (within) => {
    if (!(await tryLock(within, uuid, 'readiness'))) return 'locked'
    const state = await readState(within, uuid)
    return state && work(within, state)
  })
}
