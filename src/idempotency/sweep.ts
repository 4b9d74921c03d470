import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../database/tables.ts'
import { sweepAnswers } from './kept-answers.ts'

const everyMs = 10 * 60 * 1_000

/** Removes kept answers that are too old, now and every ten minutes until the function that it returns is called. */
export function startSweeping(db: Kysely<Database>, log: Logger): () => void {
  const sweep = () => {
    sweepAnswers(db).catch((error: unknown) => {
      log.warn({ reason: error instanceof Error ? error.message : error }, 'old idempotency keys could not be swept')
    })
  }
  const timer = setInterval(sweep, everyMs).unref()
  sweep()
  return () => clearInterval(timer)
}
