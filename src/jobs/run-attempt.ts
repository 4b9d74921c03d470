import type { Logger } from 'pino'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { loggableError } from '../request/log.ts'
import { type AttemptKey, finishJob, readAttempt, requeue, saveProgress } from './attempt.ts'
import type { JobKey } from './job.ts'
import { heartbeats, outcomeOf } from './liveness.ts'
import type { JobQuotas } from './quotas.ts'
import { runExport } from './run-export.ts'
import { runImport } from './run-import.ts'

interface AttemptContext {
  catalogue: Catalogue
  enumerations: Enumerations
  quotas: JobQuotas
  /** Interrupts the attempt: the job does not end. */
  signal: AbortSignal
  /** Called every few seconds, as long as this thread is not busy with one step. */
  reportProgress(): void
  log: Logger
}

/** Makes an attempt at a job. Throws when it is interrupted or the database cannot be reached: it may be repeated. */
export async function runAttempt(
  key: AttemptKey,
  { reportProgress, log, signal, ...context }: AttemptContext,
): Promise<void> {
  const { db } = context.catalogue
  const attempt = await readAttempt(db, key)
  if (!attempt) return
  const superseded = new AbortController()
  const save = () => saveProgress(db, attempt).then((isSaved) => isSaved || superseded.abort())
  const timer = setInterval(() => {
    reportProgress()
    save().catch(() => {})
  }, heartbeats.attempt.everyMs)
  const work = { import: runImport, export: runExport }[attempt.kind]
  try {
    const anySignal = AbortSignal.any([signal, superseded.signal])
    const [end] = await Promise.allSettled([work(context.catalogue, attempt, { ...context, signal: anySignal })])
    if (end.status === 'rejected') {
      const outcome = outcomeOf(end.reason)
      if (outcome === 'requeued') await requeue(db, attempt).catch(() => {})
      if (signal.aborted || outcome !== 'failed') throw end.reason
    }
    // Otherwise the job is deleted, or another attempt has begun: that may be the cause of an error.
    if (!(await saveProgress(db, attempt))) return
    await finishJob(db, attempt, end.status === 'fulfilled' ? end.value : reasonOf(end.reason, key, log))
  } finally {
    clearInterval(timer)
  }
}

/** What the user may read of an error: messages about the input, and nothing about other failures. */
function reasonOf(error: unknown, { jobId }: JobKey, log: Logger): string {
  if (error instanceof Error && (error.name === 'UsageError' || error.name === 'CatalogueError')) return error.message
  log.error({ err: loggableError(error), jobId }, 'unexpected error in a job')
  return 'internal error; it has been logged'
}
