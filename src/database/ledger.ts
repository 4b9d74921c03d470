import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from './tables.ts'

/** How many days in advance partitions are made: gateways may be stopped for this time. */
export const daysAhead = 7

/** Finding the last change of a day may take long; it runs on a connection of its own. */
const maxDropMs = 10 * 60_000

/** Makes the partitions of the ledger for today and the next days. Cheap if they exist. */
export async function addChangeDays(db: Kysely<Database>): Promise<void> {
  await sql`select add_change_days(${daysAhead}::integer)`.execute(db)
}

/** Drops the days of the ledger that are older than `keptMs`. Each drop waits for writers only for a moment. */
export async function dropChangeDays(db: Kysely<Database>, keptMs: number): Promise<void> {
  const before = sql`now() - ${keptMs / 1000} * interval '1 second'`
  const { rows } = await sql<{ isDue: boolean }>`select old_change_day(${before}) is not null as "isDue"`.execute(db)
  if (!rows[0]?.isDue) return
  const { withOwnConnection } = await import('./connection/own-connection.ts')
  await withOwnConnection(db, async ({ db: own }) => {
    const dropOne = () =>
      own.transaction().execute(async (transaction) => {
        await sql`select set_config('statement_timeout', ${String(maxDropMs)}, true)`.execute(transaction)
        return sql<{ dropped: boolean }>`select drop_change_day(${before}) as dropped`.execute(transaction)
      })
    while ((await dropOne()).rows[0]?.dropped);
  })
}

/**
 * Sets whether writes record their changes from now on. After writes that did not, the ledger is reset: older cursors
 * expire, and earlier states are unknown.
 */
export async function setRecording(db: Kysely<Database>, isRecording: boolean): Promise<void> {
  await (isRecording
    ? sql`update change_horizon set has_gap = false, ledger = ${randomUUID()}::uuid, since = now(),
        tx = greatest(tx, (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text::xid8) where has_gap`
    : sql`update change_horizon set has_gap = true where not has_gap`
  ).execute(db)
}

/** Resets the ledger after writes without changes, such as a restore. */
export async function resetLedger(db: Kysely<Database>): Promise<void> {
  await setRecording(db, false)
  await setRecording(db, true)
}
