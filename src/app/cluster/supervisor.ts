import cluster from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ConnectionConfig } from '../../database/connection/session.ts'
import type { Config } from '../config.ts'
import { type Messages, onMessage, send } from './messages.ts'

/** All workers together have the connections of this many pools: PostgreSQL allows 100 by default. */
const fullPools = 6

const pauseBeforeReplacingMs = 1_000

type WorkerProcess = ReturnType<typeof startWorker>

/** Runs the gateway as worker processes at one port. `stop` throws when one does not exit with code 0. */
export async function superviseWorkers(
  { workers: count }: Config,
  { connection }: { connection: ConnectionConfig },
  log: Logger,
) {
  cluster.schedulingPolicy = cluster.SCHED_RR
  const stopping = new AbortController()
  const running = new Map<number, WorkerProcess>()
  const reportClosedPorts = () => {
    const all = [...running.values()]
    if (all.every(({ hasClosedPort }) => hasClosedPort))
      for (const { worker } of all) send(worker, 'allPortsClosed', {})
  }
  const cores = Math.max(1, Math.floor(availableParallelism() / count))
  const ofWorker = { ...connection, max: connectionsPerWorker(count, connection.max), cores }
  const start = (number: number) => {
    const started = startWorker(number, ofWorker, reportClosedPorts, log)
    running.set(number, started)
    return started
  }
  /** Resolves with the exit of the last worker of this number. */
  const keepRunning = async (first: WorkerProcess) => {
    const { number } = first
    for (let current = first; ; current = start(number)) {
      current.started.catch((error: Error) => {
        log.warn({ worker: number, reason: error.message }, 'a worker cannot start')
        current.worker.process.kill('SIGKILL')
      })
      const exit = await current.exit
      running.delete(number)
      reportClosedPorts()
      if (stopping.signal.aborted) return current.isKilled ? 0 : exit
      log.warn({ worker: number, pid: current.worker.process.pid, exit }, 'a worker ended and is replaced')
      await sleep(pauseBeforeReplacingMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return 0
    }
  }
  const workers = Array.from({ length: count }, (_, i) => start(i + 1))
  try {
    const [url = ''] = await Promise.all(workers.map(({ started }) => started))
    const exits = workers.map(keepRunning)
    const stop = async () => {
      stopping.abort()
      for (const one of running.values()) {
        one.isKilled = !one.isReady
        if (one.isReady) send(one.worker, 'stop', {})
        else one.worker.process.kill('SIGKILL')
      }
      const failed = (await Promise.all(exits)).filter((exit) => exit !== 0)
      if (failed.length > 0) throw new Error(`workers must exit with code 0; got ${failed.join(', ')}`)
    }
    return { url, stop }
  } catch (error) {
    for (const { worker } of workers) worker.process.kill('SIGKILL')
    await Promise.all(workers.map(({ exit }) => exit))
    throw error
  }
}

export function connectionsPerWorker(workers: number, max = 10): number {
  return Math.max(1, Math.min(max, Math.floor((fullPools * max) / workers)))
}

function startWorker(number: number, connection: ConnectionConfig, onPortClosed: () => void, log: Logger) {
  const worker = cluster.fork()
  /** The URL of the worker; rejects when it cannot start. */
  const { promise: started, resolve, reject } = Promise.withResolvers<string>()
  /** Its exit code, or the signal that ended it. */
  const exit = once(worker, 'exit').then(([code, signal]): number | string => signal ?? code)
  const state = { worker, number, started, isReady: false, isKilled: false, hasClosedPort: false, exit }
  onMessage(worker, 'started', ({ url, error }) => {
    if (url === undefined) return reject(Object.assign(new Error(error?.message), { code: error?.code }))
    state.isReady = true
    log.info({ worker: number, pid: worker.process.pid }, 'a worker answers')
    resolve(url)
  })
  onMessage(worker, 'portClosed', () => {
    state.hasClosedPort = true
    onPortClosed()
  })
  onMessage(worker, 'getMetrics', async () => send(worker, 'metrics', await readMetrics()))
  void exit.then((how) => reject(new Error(`it ended with ${how} before it answered`)))
  started.catch(() => {})
  send(worker, 'start', { number, connection })
  return state
}

/** Loads prom-client with the first reading of the metrics. */
async function readMetrics(): Promise<Messages['metrics']> {
  const { readClusterMetrics } = await import('../../metrics/registry.ts')
  return readClusterMetrics().then(
    (text) => ({ text }),
    (error: Error) => ({ error: error.message }),
  )
}
