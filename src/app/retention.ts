import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../database/tables.ts'
import { deleteOldAnswers } from '../idempotency/once.ts'
import { deleteOldJobs } from '../jobs/job.ts'

const everyMs = 10 * 60 * 1_000

/** Deletes what is kept for a limited time, now and every ten minutes. Returns the function that ends this. */
export function startRetention(db: Kysely<Database>, jobsRetention: number, log: Logger): () => void {
  const deleteOld = () => {
    Promise.all([deleteOldAnswers(db), deleteOldJobs(db, jobsRetention)]).catch((error: unknown) => {
      log.warn({ reason: error instanceof Error ? error.message : error }, 'old rows could not be deleted')
    })
  }
  const timer = setInterval(deleteOld, everyMs).unref()
  deleteOld()
  return () => clearInterval(timer)
}
