import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'

const deadlineMs = 1_000

/**
 * Makes the answer to "ready?": whether the database answers in time, and the remote filter if there is one. Those who ask while a round
 * is under way share it: they need no token, and must not be able to keep the dependencies busy.
 */
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
