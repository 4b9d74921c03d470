import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { connect } from '../database/connection/connect.ts'
import { maxConnections } from '../database/connection/max-connections.ts'
import type { ConnectionConfig } from '../database/connection/session.ts'
import { openQueue, queueName, startQueue } from '../database/job-queue.ts'
import type { Database } from '../database/tables.ts'
import { TaskEnded, type ThreadPool } from '../event-loop/thread-pool.ts'
import { inTimeForShutdown } from '../request/give-up.ts'
import { type AttemptKey, beginAttempt, finishJob, maxCrashes, requeue } from './attempt.ts'
import type { JobKey } from './job.ts'

export interface RunnerOptions {
  db: Kysely<Database>
  connection: ConnectionConfig
  enumerations(): Enumerations
  /** Threads of their own, as many as jobs run at a time, whose tasks are `JobTask`s. */
  threads: ThreadPool
  log: Logger
}

export interface JobTask {
  key: AttemptKey
  enumerations: Enumerations
}

/** The library is loaded after the first requests. */
const startAfterMs = 1_000
const startAgainAfterMs = 5_000
/** The queue has a connection of its own, so that its polls take none of the requests' connections. */
const queueConnection = { application_name: 'catalogue-gateway-queue', max: maxConnections.queue }
const intervals = { superviseIntervalSeconds: 5, monitorIntervalSeconds: 5, flowIntervalSeconds: 3600 }

/** Jobs that run at a time, of different stores: one store's job does not wait for another store's. */
export const concurrency = 2

/** Runs the jobs of all stores in the background: few at a time, and one at a time of each store. */
export class JobRunner {
  readonly #options: RunnerOptions
  readonly #queueDb: Kysely<Database>
  readonly #stopping = new AbortController()
  readonly #starting: Promise<PgBoss | undefined>
  readonly #running = new Set<AttemptKey>()
  #wake = () => {}

  constructor(options: RunnerOptions) {
    this.#options = options
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
    // The running jobs may be writing a chunk.
    const queue = await inTimeForShutdown(this.#starting)
    await inTimeForShutdown(queue?.offWork(queueName))
    const { db, threads } = this.#options
    await threads.close()
    await inTimeForShutdown(Promise.all(Array.from(this.#running, (attempt) => requeue(db, attempt).catch(this.#warn))))
    await inTimeForShutdown(queue?.stop({ graceful: false }))
    await inTimeForShutdown(this.#queueDb.destroy())
  }

  async #start(): Promise<PgBoss> {
    const { signal } = this.#stopping
    await sleep(startAfterMs, undefined, { ref: false, signal })
    const queue = await openQueue(this.#queueDb, intervals)
    queue.on('error', this.#warn)
    queue.on('warning', this.#warn)
    try {
      signal.throwIfAborted()
      const isStarted = () => startQueue(queue).then(() => true, this.#warn)
      while (!(await isStarted())) await sleep(startAgainAfterMs, undefined, { ref: false, signal })
      signal.throwIfAborted()
      const startWorker = () =>
        queue.work<JobKey>(queueName, { groupConcurrency: 1 }, async ([message]) => {
          if (message) await this.#run(message.data, AbortSignal.any([signal, message.signal]))
        })
      const workers = await Promise.all(Array.from({ length: concurrency }, startWorker))
      this.#wake = () => workers.forEach((worker) => void queue.notifyWorker(worker))
      return queue
    } catch (error) {
      // A shutdown does not wait for a slow start, whose timers would keep the process.
      await queue.stop({ graceful: false })
      throw error
    }
  }

  /** Makes an attempt at a job in a thread. When it throws, pg-boss queues the job again. */
  async #run(key: JobKey, signal: AbortSignal): Promise<void> {
    const { db, threads, enumerations } = this.#options
    const attempt = await beginAttempt(db, key)
    if (!attempt) return
    this.#running.add(attempt)
    try {
      const input: JobTask = { key: attempt, enumerations: enumerations() }
      await threads.run({ input, moved: [], signal })
    } catch (error) {
      if (this.#stopping.signal.aborted) await requeue(db, attempt)
      const ended = error instanceof Error && error.cause instanceof TaskEnded ? error.cause : undefined
      // The next attempt would count this one as a crash.
      if (signal.aborted || !ended || attempt.crashes + 1 < maxCrashes) throw error
      await finishJob(db, attempt, `the job was ended twice: ${ended.message}; shorter rows take less`)
    } finally {
      this.#running.delete(attempt)
      // The worker would fetch the next job at its next poll only.
      this.#wake()
    }
  }

  #warn = (problem: { message: string }): undefined => {
    if (!this.#stopping.signal.aborted) this.#options.log.warn({ reason: problem.message }, 'job queue')
  }
}
