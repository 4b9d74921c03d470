import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'

const deadlineMs = 1_000

/** Makes the check of the database and the remote filter. Callers without a token share a round under way. */
export function createReadiness(db: Kysely<Database>, isFilterReachable = async () => true): () => Promise<boolean> {
  const check = async () => {
    const [isReachable] = await Promise.all([isFilterReachable(), sql`select 1`.execute(db)])
    return isReachable
  }
  let round: Promise<boolean> | undefined
  return () => {
    round ??= Promise.race([check().catch(() => false), sleep(deadlineMs, false, { ref: false })]).finally(() => {
      round = undefined
    })
    return round
  }
}
