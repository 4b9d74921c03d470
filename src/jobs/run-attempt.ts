import type { Logger } from 'pino'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { codeOf, isUnavailable, shortageOf } from '../database/unavailable.ts'
import { loggableError } from '../request/log.ts'
import { type AttemptKey, finishJob, readAttempt, requeue, saveProgress } from './attempt.ts'
import type { JobKey } from './job.ts'
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

const saveProgressEveryMs = 2_000

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
  }, saveProgressEveryMs)
  const work = { import: runImport, export: runExport }[attempt.kind]
  try {
    const anySignal = AbortSignal.any([signal, superseded.signal])
    const [end] = await Promise.allSettled([work(context.catalogue, attempt, { ...context, signal: anySignal })])
    if (end.status === 'rejected') {
      if (isPassing(end.reason)) await requeue(db, attempt).catch(() => {})
      if (signal.aborted || isUnavailable(end.reason)) throw end.reason
    }
    // Otherwise the job is deleted, or another attempt has begun: that may be the cause of an error.
    if (!(await saveProgress(db, attempt))) return
    await finishJob(db, attempt, end.status === 'fulfilled' ? end.value : reasonOf(end.reason, key, log))
  } finally {
    clearInterval(timer)
  }
}

/**
 * Whether it ends by itself, such as a lock or a full disk. A statement that takes too long does so each time, and so
 * may a deadlock or serialization failure that repeats have not cured.
 */
const isPassing = (error: unknown) =>
  shortageOf(error) !== undefined && !['57014', '40001', '40P01'].includes(codeOf(error))

/** What the user may read of an error: messages about the input, and nothing about other failures. */
function reasonOf(error: unknown, { jobId }: JobKey, log: Logger): string {
  if (error instanceof Error && (error.name === 'UsageError' || error.name === 'CatalogueError')) return error.message
  log.error({ err: loggableError(error), jobId }, 'unexpected error in a job')
  return 'internal error; it has been logged'
}
