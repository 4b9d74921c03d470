import { fileURLToPath } from 'node:url'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Piscina } from 'piscina'
import { unavailable, unfinished } from '../errors.ts'
import { FairQueue } from '../fair-share/fair-queue.ts'
import { requestContext } from '../request/context.ts'
import type { Task } from './run-task.ts'

/** The limits of a task. */
export interface TaskLimits {
  /** The memory of a thread, in MiB. A task that needs more ends its thread. */
  heapMb?: number
  /** From the start in the thread, or the last report of progress, until the task is cancelled. */
  deadlineMs?: number
  /** From the start in the thread until the task is cancelled in spite of progress; by default never. */
  maxMs?: number
}

export interface PoolOptions extends TaskLimits {
  /** The module that the threads run: it exports `run`, which takes a `Task`. */
  entry: URL
  workerData?: unknown
  log: Logger
  threads?: number
  /** How many threads one tenant may use; by default all but one. */
  threadsPerTenant?: number
  /** Whether each task starts a spare thread, and the last one stays: a start takes a second. */
  hasSpare?: boolean
  /** How long an idle thread stays, in ms. */
  idleMs?: number
}

/** Work for the pool: its input as plain data, and the part of its memory that may be moved. */
export interface PoolTask {
  input: unknown
  moved?: ArrayBuffer[]
  /** Cancels the task; by default when the request's client leaves. */
  signal?: AbortSignal
}

/** The pool ended a task; the message has the reason. */
export class TaskEnded extends Error {
  override readonly name = 'TaskEnded'
}

export type ThreadPool = ReturnType<typeof createThreadPool>

const queue = { maxWaiting: 100, maxWaitMs: 10_000 }
/** How long a cancelled task may take before its thread is ended: a new one takes a second to start. */
const cancelMs = 2_000
/** The longest delay of a timer. */
const maxTimerMs = 2 ** 31 - 1

export const defaultThreads = 2

/**
 * Threads for work that would block the main one. They start on demand, run one task at a time, and end when idle.
 */
export function createThreadPool({ threads = defaultThreads, ...given }: PoolOptions) {
  const options = {
    threads,
    threadsPerTenant: Math.max(1, threads - 1),
    heapMb: 512,
    deadlineMs: 10_000,
    maxMs: maxTimerMs,
    workerData: undefined,
    hasSpare: false,
    idleMs: 60_000,
    ...given,
  }
  const slots = new FairQueue({ slots: threads, slotsPerTenant: options.threadsPerTenant, ...queue })
  let started: Promise<Piscina> | undefined
  let isClosed = false
  return {
    /**
     * Runs a task in a thread, never twice. Throws `unavailable`, with a `TaskEnded` as its cause where it was ended.
     */
    run: async <Output>({ input, moved = [], signal: own }: PoolTask): Promise<Output> => {
      const context = requestContext.getStore()
      const { requestId = { text: '', header: '' }, tenant = '', tokenId = '' } = context ?? {}
      const signal = own ?? context?.signal
      const release = await slots.acquire(context)
      const { port1: cancellation, port2: cancelled } = new MessageChannel()
      const traceparent = context?.trace?.traceparent() ?? context?.traceparent
      const task: Task = { input, context: { requestId, traceparent, tenant, tokenId }, cancellation: cancelled }
      const watch = watchTask(signal, options, cancellation)
      try {
        // Its thread would outlive the pool.
        if (isClosed) throw new Error('the pool is closed')
        started ??= startPiscina(options)
        const piscina = await started
        if (options.hasSpare) cancellation.once('message', () => startSpare(piscina))
        const transferList = [cancelled, ...moved]
        const result: { output: Output } = await piscina.run(task, { transferList, signal: watch.signal })
        return result.output
      } catch (error) {
        const ending = endingOf(error, watch.timeoutReason(), options.heapMb)
        const isCancelled = signal?.aborted && !ending
        if (!isCancelled) options.log.error({ err: error, requestId: requestId.text }, 'a task of the pool failed')
        throw unavailable('unavailable', ending ?? error, unfinished)
      } finally {
        watch.end()
        release()
      }
    },
    state: () => ({ busy: slots.busy, waiting: slots.waiting }),
    close: async () => {
      isClosed = true
      await (await started)?.destroy()
    },
  }
}

function endingOf(error: unknown, timeoutReason: string | undefined, heapMb: number) {
  if (timeoutReason) return new TaskEnded(timeoutReason)
  const isFull = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isFull ? new TaskEnded(`it needed more than ${heapMb} MiB of memory`) : undefined
}

async function startPiscina({
  entry,
  workerData,
  log,
  threads,
  heapMb,
  ...options
}: Required<PoolOptions>): Promise<Piscina> {
  const { Piscina } = await import('piscina')
  const piscina = new Piscina({
    filename: fileURLToPath(entry),
    name: 'run',
    minThreads: options.hasSpare ? 1 : 0,
    maxThreads: threads,
    maxQueue: threads,
    concurrentTasksPerWorker: 1,
    idleTimeout: options.idleMs,
    // The threads' own sockets and timers need the event loop while no task runs.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    workerData,
  })
  piscina.on('error', (error: Error) => log.error({ err: error }, 'a thread of the pool failed'))
  return piscina
}

/** Starts a thread by a task that does nothing, unless there are enough. */
function startSpare(piscina: Piscina): void {
  if (piscina.threads.length < piscina.options.maxThreads) piscina.run(undefined).catch(() => {})
}

/** Cancels a task when its client leaves or its deadline has passed; ends the thread if the task does not stop. */
function watchTask(
  client: AbortSignal | undefined,
  { deadlineMs, maxMs }: Required<TaskLimits>,
  cancellation: MessagePort,
) {
  const ending = new AbortController()
  const cancel = () => cancellation.postMessage('cancel')
  let timeoutReason: string | undefined
  let step: NodeJS.Timeout | undefined
  let whole: NodeJS.Timeout | undefined
  const endTimers = () => {
    clearTimeout(step)
    clearTimeout(whole)
  }
  const cancelAfter = (ms: number, what: string) =>
    setTimeout(() => {
      timeoutReason = `${what} took more than ${ms / 1000} s`
      endTimers()
      cancel()
      step = setTimeout(() => ending.abort(), cancelMs)
    }, ms)
  cancellation.on('message', () => {
    if (timeoutReason) return
    clearTimeout(step)
    step = cancelAfter(deadlineMs, 'a step of it')
    whole ??= cancelAfter(maxMs, 'it')
  })
  if (client?.aborted) cancel()
  client?.addEventListener('abort', cancel)
  return {
    signal: ending.signal,
    timeoutReason: () => timeoutReason,
    end: () => {
      cancellation.close()
      endTimers()
      client?.removeEventListener('abort', cancel)
    },
  }
}
