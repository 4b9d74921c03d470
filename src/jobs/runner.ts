import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { ClientConfig } from 'pg'
import type { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import { type Catalogue, wholeCatalogue } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { connect } from '../database/connect.ts'
import { openQueue, queueName, startQueue } from '../database/job-queue.ts'
import type { Database } from '../database/tables.ts'
import { isUnavailable } from '../database/unavailable.ts'
import { loggableError } from '../request/loggable-error.ts'
import { type Attempt, beginAttempt, finishJob, requeue, saveProgress } from './attempt.ts'
import type { JobKey } from './job.ts'
import type { JobQuotas } from './quotas.ts'
import { withApiNames } from './start-job.ts'

export interface RunnerOptions {
  db: Kysely<Database>
  connection: ClientConfig
  enumerations(): Enumerations
  quotas: JobQuotas
  log: Logger
}

/** The library is loaded after the first requests. */
const startAfterMs = 1_000
const startAgainAfterMs = 5_000
const saveProgressEveryMs = 2_000
/** How long a shutdown waits for each step: the running job may be writing a chunk. */
const stopWithinMs = 500
/** The queue has a connection of its own, so that its polls take none of the requests' connections. */
const queueConnection = { application_name: 'catalogue-gateway-queue', max: 1 }
const intervals = { superviseIntervalSeconds: 5, monitorIntervalSeconds: 5, flowIntervalSeconds: 3600 }

/** Jobs that run at a time, of different stores: one store's job does not wait for another store's. */
const concurrency = 2

/** Runs the jobs of all stores in the background: few at a time, and about one at a time of each store. */
export class JobRunner {
  readonly #options: RunnerOptions
  readonly #catalogue: Catalogue
  readonly #queueDb: Kysely<Database>
  readonly #stopping = new AbortController()
  readonly #starting: Promise<PgBoss | undefined>
  readonly #running = new Set<Attempt>()
  #wake = () => {}

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#catalogue = wholeCatalogue(options.db.withoutPlugins())
    this.#queueDb = connect({ ...options.connection, ...queueConnection }, this.#warn)
    this.#starting = this.#start().catch(this.#warn)
  }

  /** A job has been queued: it starts at once. */
  wake(): void {
    this.#wake()
  }

  /** Interrupts the running jobs, gives them back to the queue and starts no other. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    // The database may be silent: a shutdown does not wait for its answers.
    const queue = await within(this.#starting)
    await within(queue?.offWork(queueName))
    await Promise.all(Array.from(this.#running, (attempt) => requeue(this.#catalogue.db, attempt).catch(this.#warn)))
    await within(queue?.stop({ graceful: false }))
    await within(this.#queueDb.destroy())
  }

  async #start(): Promise<PgBoss> {
    const { signal } = this.#stopping
    await sleep(startAfterMs, undefined, { ref: false, signal })
    const queue = await openQueue(this.#queueDb, intervals)
    signal.throwIfAborted()
    queue.on('error', this.#warn)
    queue.on('warning', this.#warn)
    const isStarted = () => startQueue(queue).then(() => true, this.#warn)
    while (!(await isStarted())) await sleep(startAgainAfterMs, undefined, { ref: false, signal })
    const startWorker = () =>
      queue.work<JobKey>(queueName, { groupConcurrency: 1 }, async ([message]) => {
        if (message) await this.#run(message.data, AbortSignal.any([signal, message.signal]))
      })
    const workers = await Promise.all(Array.from({ length: concurrency }, startWorker))
    this.#wake = () => workers.forEach((worker) => void queue.notifyWorker(worker))
    return queue
  }

  /** Makes an attempt at a job. When it throws, pg-boss queues the job again. */
  async #run(key: JobKey, signal: AbortSignal): Promise<void> {
    const { db } = this.#catalogue
    const attempt = await beginAttempt(db, key)
    if (!attempt) return
    this.#running.add(attempt)
    const superseded = new AbortController()
    const save = () => saveProgress(db, attempt).then((isSaved) => isSaved || superseded.abort())
    const timer = setInterval(() => save().catch(() => {}), saveProgressEveryMs)
    const anySignal = AbortSignal.any([signal, superseded.signal])
    try {
      // Loaded with the first job, because a gateway may never have one.
      const [{ runExport }, { runImport }] = await Promise.all([import('./run-export.ts'), import('./run-import.ts')])
      const run = attempt.kind === 'export' ? runExport : runImport
      const { enumerations, quotas } = this.#options
      const work = { enumerations: enumerations(), quotas, signal: anySignal }
      const error = await run(this.#catalogue, attempt, work)
      await finishJob(db, attempt, error && withApiNames(error))
    } catch (error) {
      if (this.#stopping.signal.aborted) await requeue(db, attempt)
      if (signal.aborted || isUnavailable(error)) throw error
      // The job is deleted, or another attempt has begun.
      if (superseded.signal.aborted || !(await saveProgress(db, attempt))) return
      await finishJob(db, attempt, this.#reasonOf(error, attempt))
    } finally {
      clearInterval(timer)
      this.#running.delete(attempt)
      // The worker would fetch the next job at its next poll only.
      this.#wake()
    }
  }

  /** What the user may read of an error: messages about the input, and nothing about other failures. */
  #reasonOf(error: unknown, { jobId }: JobKey): string {
    if (error instanceof Error && (error.name === 'UsageError' || error.name === 'CatalogueError')) {
      return withApiNames(error.message)
    }
    this.#options.log.error({ err: loggableError(error), jobId }, 'unexpected error in a job')
    return 'the service made a mistake; it has been logged'
  }

  #warn = (problem: { message: string }): undefined => {
    if (!this.#stopping.signal.aborted) this.#options.log.warn({ reason: problem.message }, 'job queue')
  }
}

/** The result of the work; undefined when it takes too long for a shutdown. */
function within<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  return Promise.race([work, sleep(stopWithinMs, undefined, { ref: false })])
}
