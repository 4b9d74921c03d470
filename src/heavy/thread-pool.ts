import { fileURLToPath } from 'node:url'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Piscina } from 'piscina'
import { unavailable } from '../errors.ts'
import { requestContext } from '../request/context.ts'
import { FairQueue } from '../request/fair-queue.ts'
import type { Task } from './run-task.ts'

export interface PoolOptions {
  /** The module that the threads run: it exports `run`, which takes a `Task`. */
  entry: URL
  workerData: unknown
  log: Logger
  threads?: number
  /** The memory of a thread, in MiB. A task that needs more ends its thread. */
  heapMb?: number
  /** From the task's start in its thread, which may take seconds to start, to the request to cancel it. */
  deadlineMs?: number
}

/** Work for the pool: what it needs as plain data, and the memory of it that may be moved. */
export interface Job {
  input: unknown
  moved: ArrayBuffer[]
}

export type ThreadPool = ReturnType<typeof createThreadPool>

const queue = { maxWaiting: 100, maxWaitMs: 10_000 }
/** How long a cancelled task may take before its thread is ended. */
const cancelMs = 500
const idleMs = 60_000

/** Threads for work that would block the serving one. They start on demand, end when idle, run one task at a time. */
export function createThreadPool(given: PoolOptions) {
  const options = { threads: 2, heapMb: 1_024, deadlineMs: 10_000, ...given }
  const { threads, deadlineMs } = options
  const slots = new FairQueue({ slots: threads, slotsPerToken: Math.max(1, threads - 1), ...queue })
  let started: Promise<Piscina> | undefined
  return {
    /** Runs a task in a thread, never twice. Throws `unavailable`. */
    run: async <Output>({ input, moved }: Job): Promise<Output> => {
      const context = requestContext.getStore()
      const { requestId = { text: '', header: '' }, tokenId = '', signal } = context ?? {}
      const release = await slots.acquire(context)
      const { port1: cancellation, port2: cancelled } = new MessageChannel()
      const traceparent = context?.trace?.traceparent() ?? context?.traceparent
      const task: Task = { input, context: { requestId, traceparent, tokenId }, cancellation: cancelled }
      const watch = watchTask(signal, deadlineMs, cancellation)
      try {
        started ??= startPiscina(options)
        const piscina = await started
        const transferList = [cancelled, ...moved]
        const result: { output: Output } = await piscina.run(task, { transferList, signal: watch.signal })
        return result.output
      } catch (error) {
        options.log.error({ err: error, requestId: requestId.text }, 'a task of the pool failed')
        throw unavailable('unavailable', error)
      } finally {
        watch.end()
        release()
      }
    },
    close: async () => {
      await (await started)?.destroy()
    },
  }
}

async function startPiscina({ entry, workerData, log, threads, heapMb }: Required<PoolOptions>): Promise<Piscina> {
  const { Piscina } = await import('piscina')
  const piscina = new Piscina({
    filename: fileURLToPath(entry),
    name: 'run',
    minThreads: 0,
    maxThreads: threads,
    maxQueue: threads,
    concurrentTasksPerWorker: 1,
    idleTimeout: idleMs,
    // The threads' own sockets and timers need the event loop while no task runs.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    workerData,
  })
  piscina.on('error', (error: Error) => log.error({ err: error }, 'a thread of the pool failed'))
  return piscina
}

/** Cancels a task when its client leaves or its deadline has passed; ends the thread of one that goes on. */
function watchTask(client: AbortSignal | undefined, deadlineMs: number, cancellation: MessagePort) {
  const ending = new AbortController()
  const cancel = () => cancellation.postMessage('cancel')
  let late: NodeJS.Timeout | undefined
  let tooLate: NodeJS.Timeout | undefined
  cancellation.once('message', () => {
    late = setTimeout(cancel, deadlineMs)
    tooLate = setTimeout(() => ending.abort(), deadlineMs + cancelMs)
  })
  client?.addEventListener('abort', cancel)
  return {
    signal: ending.signal,
    end: () => {
      cancellation.close()
      clearTimeout(late)
      clearTimeout(tooLate)
      client?.removeEventListener('abort', cancel)
    },
  }
}
