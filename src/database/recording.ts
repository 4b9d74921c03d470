import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from './tables.ts'

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
