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
import { type AttemptKey, beginAttempt, finishJob, requeue } from './attempt.ts'
import type { JobKey } from './job.ts'
import { maxCrashes } from './liveness.ts'

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
export function startJobRunner({ db, connection, enumerations, threads, log }: RunnerOptions) {
  const stopping = new AbortController()
  const running = new Set<AttemptKey>()
  const warn = (problem: { message: string }): undefined => {
    if (!stopping.signal.aborted) log.warn({ reason: problem.message }, 'job queue')
  }
  const queueDb = connect({ ...connection, ...queueConnection }, warn)
  let wake = () => {}

  /** Makes an attempt at a job in a thread. When it throws, pg-boss queues the job again. */
  const run = async (key: JobKey, signal: AbortSignal): Promise<void> => {
    const attempt = await beginAttempt(db, key)
    if (!attempt) return
    running.add(attempt)
    try {
      const input: JobTask = { key: attempt, enumerations: enumerations() }
      await threads.run({ input, signal })
    } catch (error) {
      if (stopping.signal.aborted) await requeue(db, attempt)
      const reason = endOfThread(error)
      // The next attempt would count this one as a crash.
      if (signal.aborted || reason === undefined || attempt.crashes + 1 < maxCrashes) throw error
      await finishJob(db, attempt, `the job was ended twice: ${reason}; shorter rows take less`)
    } finally {
      running.delete(attempt)
      // The worker would fetch the next job at its next poll only.
      wake()
    }
  }

  const start = async (): Promise<PgBoss> => {
    const { signal } = stopping
    await sleep(startAfterMs, undefined, { ref: false, signal })
    const queue = await openQueue(queueDb, intervals)
    queue.on('error', warn)
    queue.on('warning', warn)
    try {
      signal.throwIfAborted()
      const isStarted = () => startQueue(queue).then(() => true, warn)
      while (!(await isStarted())) await sleep(startAgainAfterMs, undefined, { ref: false, signal })
      signal.throwIfAborted()
      const startWorker = () =>
        queue.work<JobKey>(queueName, { groupConcurrency: 1 }, async ([message]) => {
          if (message) await run(message.data, AbortSignal.any([signal, message.signal]))
        })
      const workers = await Promise.all(Array.from({ length: concurrency }, startWorker))
      wake = () => workers.forEach((worker) => void queue.notifyWorker(worker))
      return queue
    } catch (error) {
      // A shutdown does not wait for a slow start, whose timers would keep the process.
      await queue.stop({ graceful: false })
      throw error
    }
  }

  const starting = start().catch(warn)
  return {
    /** A job has been queued: it starts at once. */
    wake: () => wake(),
    /** Interrupts the running jobs, gives them back to the queue and starts no other. */
    stop: async (): Promise<void> => {
      stopping.abort()
      // The running jobs may be writing a chunk.
      const queue = await inTimeForShutdown(starting)
      await inTimeForShutdown(queue?.offWork(queueName))
      await threads.close()
      await inTimeForShutdown(Promise.all(Array.from(running, (attempt) => requeue(db, attempt).catch(warn))))
      await inTimeForShutdown(queue?.stop({ graceful: false }))
      await inTimeForShutdown(queueDb.destroy())
    },
  }
}

/** Why the pool has ended the thread of a task, if it has. */
function endOfThread(error: unknown): string | undefined {
  return error instanceof Error && error.cause instanceof TaskEnded ? error.cause.message : undefined
}
