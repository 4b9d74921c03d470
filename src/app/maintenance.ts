import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { addChangeDays, dropChangeDays, setRecording } from '../database/ledger.ts'
import type { Database } from '../database/tables.ts'
import { messageOf } from '../errors.ts'
import { deleteOldAnswers } from '../idempotency/once.ts'
import { endKilledImports } from '../jobs/command-line-import.ts'
import { deleteOldJobs } from '../jobs/job.ts'
import { heartbeats } from '../jobs/liveness.ts'
import { keepDeliveryDays } from '../webhooks/deliveries.ts'

const everyMs = 10 * 60 * 1_000
const retryMs = 1_000

/** Retention times in milliseconds. */
interface Maintenance {
  jobsRetention: number
  changesRetention: number
}

/**
 * Adds days to the ledger, deletes expired rows and ends the jobs of killed imports, now and every ten minutes. Uploads
 * that ended with their gateway are deleted soon after the start. Returns the function that ends this, to be called
 * after the last write.
 */
export function startMaintenance(
  db: Kysely<Database>,
  { jobsRetention, changesRetention }: Maintenance,
  log: Logger,
): () => Promise<void> {
  const isRecording = changesRetention > 0
  let isStopped = false
  const attempt = (work: Promise<unknown>, failure: string) =>
    work.catch((error: unknown) => {
      if (!isStopped) log.warn({ reason: messageOf(error) }, failure)
    })
  const deleteJobs = () => attempt(deleteOldJobs(db, jobsRetention), 'old jobs could not be deleted')
  let retry: NodeJS.Timeout | undefined
  // Without the day of today nothing can be written.
  const addDays = () =>
    addChangeDays(db).catch((error: unknown) => {
      if (isStopped) return
      log.warn({ reason: messageOf(error) }, 'days of the ledger could not be added')
      clearTimeout(retry)
      retry = setTimeout(addDays, retryMs).unref()
    })
  const maintain = async () => {
    void attempt(deleteOldAnswers(db), 'old idempotency keys could not be deleted')
    void deleteJobs()
    void attempt(setRecording(db, isRecording), 'whether changes are recorded could not be noted')
    void attempt(keepDeliveryDays(db), 'days of the deliveries could not be added or dropped')
    await addDays()
    // Their ends are rows of the ledger.
    void attempt(endKilledImports(db), 'jobs of killed imports could not be ended')
    await attempt(dropChangeDays(db, changesRetention), 'old days of the ledger could not be dropped')
  }
  const timer = setInterval(maintain, everyMs).unref()
  void maintain()
  // A gateway that died just now has sent heartbeats until then.
  const afterStart = setTimeout(deleteJobs, (heartbeats.upload.lastsSeconds + 1) * 1_000).unref()
  return async () => {
    clearInterval(timer)
    clearTimeout(afterStart)
    // Another instance may have reset the ledger meanwhile.
    if (!isRecording) await attempt(setRecording(db, false), 'unrecorded changes could not be noted')
    isStopped = true
    clearTimeout(retry)
  }
}
