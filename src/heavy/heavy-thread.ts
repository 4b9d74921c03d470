import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Filter } from '../catalog/filtered-groups.ts'
import { createTurns } from '../database/turns.ts'
import { unavailable } from '../errors.ts'
import { type RequestScope, requestScope } from '../request-scope.ts'
import type { FromThread, HeavyAnswer, HeavyRequest, ThreadData, ToThread } from './messages.ts'

export interface HeavyThreadOptions extends Omit<ThreadData, 'hasFilter' | 'logLevel'> {
  filter: Filter | undefined
  jobQueued(): void
  log: Logger
  /** The most memory for what it works on, in MiB: what needs more ends the thread, not the gateway. */
  heapMb?: number
}

export interface HeavyThread {
  /** Answers a request; its body is given away. Throws `unavailable` when too many wait, or when the thread ended. */
  answer(request: HeavyRequest): Promise<HeavyAnswer>
  /** Resolves when the thread has ended, which has nothing to do any more. */
  close(): Promise<void>
}

interface Pending {
  scope: RequestScope | undefined
  /** Runs what it is given as part of the request. */
  within: <T>(work: () => T) => T
  resolve(answer: HeavyAnswer): void
  reject(reason: unknown): void
}

/** How long connections may take to close. */
const farewellMs = 500

/** As many as have a connection there; the others wait here, unread, in a circle among their callers. */
const turnOptions = { most: 10, mostWaiting: 1_000, waitMs: 2_000 }

/**
 * A thread for requests that would keep all others waiting: large bodies and costly operations are parsed, checked, run and rendered there. It starts with
 * the first of them, and again with the next one after it has failed.
 */
export function createHeavyThread({
  filter,
  jobQueued,
  log,
  heapMb = 1_024,
  ...data
}: HeavyThreadOptions): HeavyThread {
  const turns = createTurns(turnOptions)
  const pending = new Map<number, Pending>()
  let latest = 0
  let running: Worker | undefined

  const hear = (worker: Worker, message: FromThread) => {
    if (message.type === 'log') return relayLog(log, message.line)
    if (message.type === 'job queued') return jobQueued()
    const request = pending.get(message.id)
    if (message.type === 'answer') request?.resolve(message.answer)
    else if (message.type === 'failure') request?.reject(new Error(message.message))
    else if (message.type === 'statement') {
      const error = message.failed ? new Error('the statement failed') : undefined
      request?.scope?.trace?.statement({ ...message.statement, error })
    } else {
      const tell = (page?: Awaited<ReturnType<Filter>>) => post(worker, { type: 'filtered', call: message.call, page })
      const asked = request?.within(async () => filter?.(...message.question))
      Promise.resolve(asked).then(tell, () => tell())
    }
  }
  const start = (): Worker => {
    const workerData: ThreadData = { ...data, hasFilter: filter !== undefined, logLevel: log.level }
    const worker = new Worker(new URL('./thread.js', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    worker.unref()
    worker.on('message', (message: FromThread) => hear(worker, message))
    worker.on('error', (error) => log.error({ err: error }, 'the thread of heavy requests failed'))
    worker.on('exit', () => {
      if (running === worker) running = undefined
      for (const { reject } of pending.values()) reject(unavailable('unavailable', undefined))
    })
    return worker
  }

  return {
    answer: async (request) => {
      const scope = requestScope.getStore()
      const giveBack = await turns.take({ caller: scope?.tokenId ?? '', onGone: scope?.onGone })
      running ??= start()
      const worker = running
      const id = ++latest
      const deaf = scope?.onGone(() => post(worker, { type: 'gone', id }))
      try {
        return await new Promise<HeavyAnswer>((resolve, reject) => {
          pending.set(id, { scope, within: AsyncLocalStorage.snapshot(), resolve, reject })
          const { requestId = { text: '', header: '' }, traceparent, trace } = scope ?? {}
          const known = { requestId, traceparent, isTraced: trace !== undefined }
          post(worker, { type: 'request', id, scope: known, request }, request.body ? [request.body.buffer] : [])
        })
      } finally {
        pending.delete(id)
        deaf?.()
        giveBack()
      }
    },
    close: async () => {
      const worker = running
      if (!worker) return
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      post(worker, { type: 'close' })
      await Promise.race([ended, sleep(farewellMs, undefined, { ref: false })])
      await worker.terminate()
    },
  }
}

function post(worker: Worker, message: ToThread, transfer: ArrayBuffer[] = []): void {
  worker.postMessage(message, transfer)
}

const levels: Record<number, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'> = {
  60: 'fatal',
  50: 'error',
  40: 'warn',
  30: 'info',
  20: 'debug',
  10: 'trace',
}

/** A line of the thread's log, as one of the log's own. */
function relayLog(log: Logger, line: string): void {
  const { level, time, msg, ...fields } = JSON.parse(line) as { level: number; time: number; msg?: string }
  log[levels[level] ?? 'info'](fields, msg)
}
