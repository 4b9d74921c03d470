import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { unauthorized } from '../../rest/handler.ts'
import { HttpError } from '../../rest/response/http-error.ts'
import { createAdmission } from '../auth/admission.ts'
import { type Caller, hasScope } from '../auth/caller.ts'
import type { Filter } from '../catalogue/asset-groups/list-groups.ts'
import { connectionStateOf } from '../database/connect.ts'
import type { Replicas } from '../database/replicas/watch-replicas.ts'
import type { ConnectionConfig } from '../database/session.ts'
import type { Database } from '../database/tables.ts'
import { hasRowSecurity, tenantRole } from '../database/tenant.ts'
import type { RemoteFilter } from '../filter/remote-filter.ts'
import type { GlobalConfig } from '../global-config/global-config.ts'
import type { PersistedDocuments } from '../graphql/persisted-documents.ts'
import type { RouteLimits } from '../heavy/route.ts'
import { createThreadPool, type TaskLimits } from '../heavy/thread-pool.ts'
import { createBodyMemory } from '../http/body/body-memory.ts'
import { createCors } from '../http/cors.ts'
import { type StopOptions, stopServer } from '../http/drain.ts'
import { listen } from '../http/listen.ts'
import { createHttpServer } from '../http/server.ts'
import { createGraphiql, createPages } from '../http/static/pages.ts'
import type { JobQuotas } from '../jobs/quotas.ts'
import { concurrency, JobRunner } from '../jobs/runner.ts'
import { createMetrics } from '../metrics/metrics.ts'
import type { ClusterPeers } from '../metrics/registry.ts'
import { createRequestLog } from '../request/log.ts'
import { traced } from '../request/traced.ts'
import type { Tracing } from '../tracing/trace.ts'
import { createApi } from './api.ts'
import type { Config } from './config.ts'
import type { JobThreadData } from './job-thread.ts'
import type { ThreadData } from './pool-thread.ts'
import { createReadiness } from './ready.ts'
import { createOperationNames } from './rest-services.ts'
import { startRetention } from './retention.ts'
import { createThreadPoolApi } from './thread-pool-api.ts'

/** The configuration, and what was made from it. */
export interface GatewayOptions extends Omit<Config, 'globalConfig' | 'persistedDocuments'> {
  db: Kysely<Database>
  connection: ConnectionConfig
  globalConfig: GlobalConfig
  /** What decides which groups a listing shows; without one the gateway filters by itself. */
  remoteFilter?: RemoteFilter | undefined
  persistedDocuments?: PersistedDocuments | undefined
  peers?: ClusterPeers | undefined
  tracing?: Tracing | undefined
  log: Logger
  maxAnswerBytes?: number
  /** The memory for bodies of requests that have no answer yet; one token may use half of it. */
  maxBodyBytes?: number
  routeLimits?: RouteLimits
  jobLimits?: TaskLimits
}

const mebibyte = 1024 * 1024

export type Gateway = Awaited<ReturnType<typeof startGateway>>

/** Builds the gateway and listens: the one place where all parts meet. The caller opens and closes the database. */
export async function startGateway(options: GatewayOptions) {
  const { db, globalConfig, remoteFilter, metricsPublic, corsOrigins, tracing, host, port, log } = options
  const { maxBodyBytes = 256 * mebibyte, maxAnswerBytes = 16 * mebibyte } = options
  const { enumerations } = globalConfig
  const bodyMemory = createBodyMemory(maxBodyBytes)
  const replicas = await openReplicas(options)
  const metrics = createMetrics({
    bodies: () => ({ held: bodyMemory.reserved(), most: maxBodyBytes }),
    connectionPool: () => connectionStateOf(db),
    replicas: replicas?.states,
    circuit: remoteFilter?.circuit,
    configuration: globalConfig.state,
    peers: options.peers,
  })
  void hasRowSecurity(db).then(
    (isUsable) => isUsable || log.warn(`row-level security is off: the role ${tenantRole} cannot be used`),
    () => {},
  )
  // Background work starts once the gateway listens; jobs that are queued before are found by then.
  let runner: JobRunner | undefined
  let stopRetention: (() => void) | undefined
  const { api, closeThreadPools } = createMainThreadApi(options, replicas, () => runner?.wake())
  let isStopping = false
  const logRequest = createRequestLog(log)
  const readiness = createReadiness(db, remoteFilter?.isReachable)
  const server = createHttpServer({
    authenticate: createAdmission(options),
    ...api,
    operationOf: createOperationNames(),
    maxAnswerBytes,
    graphiql: createGraphiql(enumerations),
    pages: createPages(enumerations, async () => (isStopping ? 'unavailable' : readiness())),
    metrics: async (admission) => {
      if (!metricsPublic) requireAdmin(admission.caller())
      return metrics.read()
    },
    bodyMemory,
    cors: corsOrigins.length > 0 ? createCors(corsOrigins) : undefined,
    trace: tracing?.begin,
    onServed: (served, trace) => {
      const { api, operation, status, durationMs, requestId } = served
      metrics.observe(api, operation, status, durationMs)
      logRequest(served)
      trace?.end({ name: `${api} ${operation}`, status, attributes: { 'catalogue.request_id': requestId } })
    },
  })

  /** Resolves when all connections are closed. */
  const close = async (stop: StopOptions = { readinessDelayMs: 0, drainMs: 0, forceCloseMs: 60_000 }) => {
    isStopping = true
    stopRetention?.()
    const jobsEnded = runner?.stop()
    await stopServer(server, stop)
    await jobsEnded
    await closeThreadPools()
    await replicas?.close()
  }
  try {
    const url = await listen(server, { host, port })
    const threads = createJobThreads(options)
    runner = new JobRunner({ db, connection: options.connection, enumerations, threads, log })
    stopRetention = startRetention(db, options.jobsRetention, log)
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

/** The API of this thread, which runs expensive requests in a pool of threads. */
function createMainThreadApi(options: GatewayOptions, replicas: Replicas | undefined, onJobQueued: () => void) {
  const { db, connection, remoteFilter, introspection, persistedDocuments, pageCacheMb, routeLimits, log } = options
  const { enumerations } = options.globalConfig
  const workerData: ThreadData = {
    connection,
    filter: remoteFilter?.address,
    introspection,
    persistedDocuments,
    jobQuotas: jobQuotasOf(options),
    logLevel: log.level,
  }
  const threadPool = createThreadPool({
    entry: new URL('./pool-thread.ts', import.meta.url),
    workerData,
    log,
    maxMs: 60_000,
  })
  // Of its own: a request that waits for it may hold locks that requests in the other pool wait for.
  const patternPool = createThreadPool({ entry: new URL('./pattern-thread.ts', import.meta.url), log })
  const filter: Filter | undefined =
    remoteFilter && ((...question) => traced('filter', 'filter', () => remoteFilter.filter(...question)))
  const api = createApi({
    db,
    replicas,
    enumerations,
    filter,
    onJobQueued,
    introspection,
    persistedDocuments,
    pageCacheMb,
    routeLimits,
    log,
    jobQuotas: workerData.jobQuotas,
    threads: createThreadPoolApi(threadPool, enumerations, onJobQueued),
    runPatterns: (tasks) => patternPool.run({ input: tasks, moved: [] }),
  })
  return { api, closeThreadPools: () => Promise.all([threadPool.close(), patternPool.close()]) }
}

function createJobThreads(options: GatewayOptions) {
  const { connection, log, jobLimits } = options
  const workerData: JobThreadData = { connection, quotas: jobQuotasOf(options), logLevel: log.level }
  const threads = { threads: concurrency, threadsPerToken: concurrency, ...jobLimits }
  return createThreadPool({ entry: new URL('./job-thread.ts', import.meta.url), workerData, log, ...threads })
}

function jobQuotasOf({ quotaQueuedJobs: queued, quotaJobOutputMb: keptMb }: GatewayOptions): JobQuotas {
  return { queued, keptMb }
}

function requireAdmin(caller: Caller | undefined): void {
  if (!caller) throw unauthorized
  if (!hasScope(caller, 'admin')) throw new HttpError('forbidden', 'this needs a token with the scope admin')
}
