import type { Logger } from 'pino'
import { createAuthentication } from '../auth/authentication.ts'
import { codeIndexAdvice, openSchemaAdvice } from '../database/advice.ts'
import { findKind } from '../database/kind.ts'
import { addChangeDays } from '../database/ledger.ts'
import { hasRowSecurity, tenantRole } from '../database/tenant.ts'
import { createMemoryBudget } from '../fair-share/memory-budget.ts'
import { listen } from '../http/listen.ts'
import { type StopOptions, stopServer } from '../http/stop-server.ts'
import { createHub } from '../live/hub.ts'
import { createStreams } from '../live/streams.ts'
import { createApiWithPools } from './api-with-pools.ts'
import { startBackgroundWork } from './background-work.ts'
import { createGatewayMetrics } from './gateway-metrics.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { createGatewayServer } from './gateway-server.ts'
import { createStatusCheck } from './status.ts'

const mebibyte = 1024 * 1024

export type Gateway = Awaited<ReturnType<typeof startGateway>>

/** Builds the gateway and listens: the one place where all parts meet. The caller opens and closes the database. */
export async function startGateway(options: GatewayOptions) {
  const { db, host, port, log } = options
  const kind = await findKind(db).catch(() => undefined)
  warnAtStart(options)
  const replicas = await openReplicas(options)
  const findCaller = createAuthentication(options)
  const live = { hub: createHub(db, log), streams: createStreams(findCaller, options.streamLimits) }
  // Jobs are run once the gateway listens: those queued before are found then.
  let background: ReturnType<typeof startBackgroundWork> | undefined
  const { api, runPatterns, threadState, closeThreadPools } = createApiWithPools(options, replicas, {
    onJobQueued: () => background?.wakeJobs(),
    onWritten: () => background?.wakeFollower(),
    live,
  })
  let isStopping = false
  const checkStatus = createStatusCheck(db, options.filterClient?.isReachable)
  const status = async () => (isStopping ? 'unavailable' : checkStatus())
  const memory = createMemoryBudget(options.maxHeldBytes ?? 256 * mebibyte)
  const metrics = createGatewayMetrics(options, {
    kind,
    memory,
    threadState,
    openStreams: live.streams.count,
    replicas,
    background: () => background,
  })
  const server = createGatewayServer(options, { findCaller, memory, api, metrics, kind, status })
  /** Resolves when all connections are closed. */
  const stop = async (times: StopOptions = { readinessDelayMs: 0, drainMs: 0, forceCloseMs: 60_000 }) => {
    isStopping = true
    const { waitFor, done } = watchStop(log)
    live.streams.close()
    await waitFor({ jobs: background?.stopJobs(), connections: stopServer(server, times) })
    await waitFor(background?.stop() ?? {})
    await waitFor({ threads: closeThreadPools(), replicas: replicas?.close() })
    done()
  }
  try {
    // After a long stop the ledger lacks the day of the first write. What fails is repeated below.
    await addChangeDays(db).catch(() => {})
    const url = await listen(server, { host, port })
    background = startBackgroundWork(options, runPatterns)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function warnAtStart({ db, log }: GatewayOptions): void {
  const warn = (message: Promise<string | false | undefined>) =>
    message.then((text) => text && log.warn(text)).catch(() => {})
  const noRowSecurity = `row-level security is off: the role ${tenantRole} cannot be used`
  void warn(hasRowSecurity(db).then((isUsable) => !isUsable && noRowSecurity))
  void warn(codeIndexAdvice(db))
  void warn(openSchemaAdvice(db))
}

const slowStopMs = 10_000

/** A stop that takes long logs once which parts it still waits for. */
function watchStop(log: Logger) {
  const waiting = new Set<string>()
  const report = () => log.warn({ waitsFor: [...waiting] }, 'the gateway takes long to stop')
  const timer = setTimeout(report, slowStopMs).unref()
  const waitFor = async (parts: Record<string, Promise<unknown> | undefined>) => {
    const ends = Object.entries(parts).map(async ([name, ended]) => {
      waiting.add(name)
      await ended
      waiting.delete(name)
    })
    await Promise.all(ends)
  }
  return { waitFor, done: () => clearTimeout(timer) }
}

async function openReplicas({ databaseReadUrl, connection, log }: GatewayOptions) {
  if (databaseReadUrl.length === 0) return undefined
  const { watchReplicas } = await import('../database/replicas/watch-replicas.ts')
  return watchReplicas(databaseReadUrl, connection, log)
}
