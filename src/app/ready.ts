import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'

/** How long the answer may take, in ms. */
const deadlineMs = 1_000

/**
 * Makes the answer to "ready?": whether the database answers, and the remote filter if there is one. What has not answered in time is not
 * ready. Those who ask while a round is under way share it: they need no token, and must not be able to keep the dependencies busy.
 */
export function createReadiness(db: Kysely<Database>, isFilterReachable?: () => Promise<boolean>) {
  const checks = [() => answers(db), ...(isFilterReachable ? [isFilterReachable] : [])]
  let round: Promise<boolean> | undefined
  return (): Promise<boolean> => {
    round ??= allInTime(checks).finally(() => {
      round = undefined
    })
    return round
  }
}

async function answers(db: Kysely<Database>): Promise<boolean> {
  await sql`select 1`.execute(db)
  return true
}

async function allInTime(checks: readonly (() => Promise<boolean>)[]): Promise<boolean> {
  const over = new AbortController()
  const late = sleep(deadlineMs, false, { signal: over.signal }).catch(() => false)
  const answers = await Promise.all(checks.map((check) => Promise.race([check().catch(() => false), late])))
  over.abort()
  return answers.every(Boolean)
}
