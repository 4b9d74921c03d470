import type { Server } from 'node:http'
import { schema } from '../../schema/index.ts'
import { createAuthentication, createCountedAuthentication } from '../auth/authentication.ts'
import { type Caller, hasScope } from '../auth/caller.ts'
import { oldestWriter } from '../catalogue/changes/oldest-writer.ts'
import { readQueue } from '../catalogue/projections/queue.ts'
import { connectionStateOf, lostServersOf } from '../database/connection/connect.ts'
import { type DatabaseKind, findKind } from '../database/kind.ts'
import { addChangeDays } from '../database/ledger.ts'
import type { Replicas } from '../database/replicas/watch-replicas.ts'
import { ownVersion } from '../database/version.ts'
import { createMemoryBudget } from '../fair-share/memory-budget.ts'
import { maxAnswerBytes as ordinaryAnswerBytes } from '../graphql/limits/answer-size.ts'
import { createCors } from '../http/cors.ts'
import { type StopOptions, stopServer } from '../http/drain.ts'
import { listen } from '../http/listen.ts'
import type { Routes } from '../http/router.ts'
import { createHttpServer } from '../http/server.ts'
import { createPages } from '../http/static/pages.ts'
import { lazy } from '../lazy.ts'
import { createHub } from '../live/hub.ts'
import { createStreams } from '../live/streams.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { HttpError, unauthorized } from '../request/http-error.ts'
import { createRequestLog } from '../request/log.ts'
import { readWebhookFigures } from '../webhooks/figures.ts'
import type { Api } from './api/api.ts'
import { createApiWithPools } from './api-with-pools.ts'
import { startBackgroundWork } from './background-work.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { createReadiness, type Readiness } from './ready.ts'
import { warnAtStart } from './warn-at-start.ts'

const mebibyte = 1024 * 1024

export type Gateway = Awaited<ReturnType<typeof startGateway>>

/** Builds the gateway and listens: the one place where all parts meet. The caller opens and closes the database. */
export async function startGateway(options: GatewayOptions) {
  const { db, host, port, log } = options
  const kind = await findKind(db).catch(() => undefined)
  warnAtStart(db, log)
  const replicas = await openReplicas(options)
  const authenticate = createAuthentication(options)
  const live = { hub: createHub(db, log), streams: createStreams(authenticate, options.streamLimits) }
  // Jobs are run once the gateway listens: those queued before are found then.
  let background: ReturnType<typeof startBackgroundWork> | undefined
  const { api, runPatterns, threadState, closeThreadPools } = createApiWithPools(options, replicas, {
    onJobQueued: () => background?.wakeJobs(),
    onWritten: () => background?.wakeFollower(),
    live,
  })
  let isStopping = false
  const readiness = createReadiness(db, options.filterClient?.isReachable)
  const status = async () => (isStopping ? 'unavailable' : readiness())
  const server = createServer(options, {
    authenticate: createCountedAuthentication(authenticate, options),
    findCaller: authenticate,
    openStreams: live.streams.count,
    api,
    replicas,
    kind,
    status,
    threadState,
    projectionFailures: () => background?.failures(),
    deliveryResults: () => background?.deliveryResults(),
  })
  /** Resolves when all connections are closed. */
  const close = async (stop: StopOptions = { readinessDelayMs: 0, drainMs: 0, forceCloseMs: 60_000 }) => {
    isStopping = true
    live.streams.close()
    const jobsEnded = background?.stopJobs()
    await stopServer(server, stop)
    await jobsEnded
    await background?.stop()
    await closeThreadPools()
    await replicas?.close()
  }
  try {
    // After a long stop the ledger lacks the day of the first write. What fails is repeated below.
    await addChangeDays(db).catch(() => {})
    const url = await listen(server, { host, port })
    background = startBackgroundWork(options, runPatterns)
    return { url, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openReplicas({ databaseReadUrl, connection, log }: GatewayOptions) {
  if (databaseReadUrl.length === 0) return undefined
  const { watchReplicas } = await import('../database/replicas/watch-replicas.ts')
  return watchReplicas(databaseReadUrl, connection, log)
}

interface ServerParts extends Pick<Routes, 'authenticate' | 'findCaller'> {
  openStreams(): number
  api: Api
  replicas: Replicas | undefined
  kind: DatabaseKind | undefined
  status(): Promise<Readiness>
  threadState(): { busy: number; waiting: number }
  projectionFailures(): Record<string, number> | undefined
  deliveryResults(): Record<string, number> | undefined
}

function createServer(options: GatewayOptions, parts: ServerParts): Server {
  const { authenticate, findCaller, api, replicas, kind, status, threadState, openStreams } = parts
  const { projectionFailures, deliveryResults } = parts
  const { db, globalConfig, filterClient, metricsPublic, corsOrigins, tracing, log } = options
  const { maxHeldBytes = 256 * mebibyte, maxAnswerBytes = ordinaryAnswerBytes } = options
  const { enumerations } = globalConfig
  const memory = createMemoryBudget(maxHeldBytes)
  const metrics = createMetrics({
    database: kind,
    memory,
    connectionPool: () => connectionStateOf(db),
    threadPool: threadState,
    openStreams,
    replicas: replicas?.states,
    queueDelay: async () => (await readQueue(db)).seconds,
    projectionFailures,
    deliveryResults,
    webhookFigures: options.changesRetention > 0 ? () => readWebhookFigures(db) : undefined,
    feedDelay: options.changesRetention > 0 ? async () => (await oldestWriter(db)).seconds : undefined,
    circuit: filterClient?.circuit,
    configuration: globalConfig.state,
    peers: options.peers,
  })
  const database = kind === 'plain' ? undefined : kind
  const { pages, graphiql } = createPages(enumerations, ownVersion(), async () => {
    const lost = lostServersOf(db)
    return { status: await status(), database, ...(lost.length > 0 && { lost_servers: lost }) }
  })
  const logRequest = createRequestLog(log)
  return createHttpServer({
    authenticate,
    findCaller,
    ...api,
    mcp: options.mcp === 'off' ? undefined : lazy(() => loadMcp(options, api)),
    maxAnswerBytes,
    fileLimits: { maxBytes: options.importMax, ...options.uploadTimes },
    graphiql,
    pages,
    metrics: async (caller, authorization) => {
      if (!metricsPublic) requireAdmin(caller(), authorization)
      return metrics.read()
    },
    memory,
    cors: createCors(corsOrigins, log),
    trace: tracing?.begin,
    onServed: (served, trace) => {
      const { api, operation, status, durationMs, requestId } = served
      metrics.observe(api, operation, status, durationMs)
      logRequest(served)
      trace?.end({ name: `${api} ${operation}`, status, attributes: { 'catalogue.request_id': requestId } })
    },
  })
}

function requireAdmin(caller: Caller | undefined, authorization: string | undefined): void {
  if (!caller) throw unauthorized(authorization)
  if (!hasScope(caller, 'admin')) throw new HttpError('forbidden', 'this needs a token with the scope admin')
}

async function loadMcp(options: GatewayOptions, api: Api) {
  const { createMcp } = await import('../mcp/mcp.ts')
  return createMcp(schema, options, api)
}
