import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { schema } from '../../schema/index.ts'
import { createAdmission } from '../auth/admission.ts'
import type { Filter } from '../catalogue/asset-groups/list-groups.ts'
import type { PatternResult, PatternTask } from '../catalogue/attributes/patterns.ts'
import { readFeedDelay } from '../catalogue/changes/cursor.ts'
import { startOwnReader } from '../catalogue/readiness/reader.ts'
import { codeIndexAdvice } from '../database/code-index.ts'
import { connectionStateOf } from '../database/connection/connect.ts'
import type { ConnectionConfig } from '../database/connection/session.ts'
import { keepKind } from '../database/kind.ts'
import type { Replicas } from '../database/replicas/watch-replicas.ts'
import type { Database } from '../database/tables.ts'
import { hasRowSecurity, tenantRole } from '../database/tenant.ts'
import { ownVersion } from '../database/version.ts'
import type { RemoteFilter } from '../filter/remote-filter.ts'
import type { GlobalConfig } from '../global-config/global-config.ts'
import type { PersistedDocuments } from '../graphql/persisted-documents.ts'
import type { RouteLimits } from '../heavy/route.ts'
import { createThreadPool, type TaskLimits } from '../heavy/thread-pool.ts'
import { createCors } from '../http/cors.ts'
import { type StopOptions, stopServer } from '../http/drain.ts'
import { createHeldMemory } from '../http/held-memory.ts'
import { listen } from '../http/listen.ts'
import { createHttpServer } from '../http/server.ts'
import { createGraphiql, createPages } from '../http/static/pages.ts'
import type { JobQuotas } from '../jobs/quotas.ts'
import { JobRunner } from '../jobs/runner.ts'
import { lazy } from '../lazy.ts'
import { createMetrics } from '../metrics/metrics.ts'
import type { ClusterPeers } from '../metrics/registry.ts'
import { createRequestLog } from '../request/log.ts'
import { traced } from '../request/traced.ts'
import type { Tracing } from '../tracing/trace.ts'
import { type Api, createApi } from './api.ts'
import type { Config } from './config.ts'
import { startMaintenance } from './maintenance.ts'
import type { ThreadData } from './pool-thread.ts'
import { createReadiness } from './ready.ts'
import { requireAdmin } from './require-admin.ts'
import { createJobThreads, createThreadPoolApi, threadProgram } from './thread-pool-api.ts'

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
  /** The memory for bodies of requests without an answer, and that for unread answers; a token may use half of each. */
  maxHeldBytes?: number
  routeLimits?: RouteLimits
  jobLimits?: TaskLimits
}

const mebibyte = 1024 * 1024

export type Gateway = Awaited<ReturnType<typeof startGateway>>

/** Builds the gateway and listens: the one place where all parts meet. The caller opens and closes the database. */
export async function startGateway(options: GatewayOptions) {
  const { db, globalConfig, remoteFilter, metricsPublic, corsOrigins, tracing, host, port, log } = options
  const { maxHeldBytes = 256 * mebibyte, maxAnswerBytes = 16 * mebibyte } = options
  const { enumerations } = globalConfig
  const memory = { bodies: createHeldMemory(maxHeldBytes), answers: createHeldMemory(maxHeldBytes) }
  const replicas = await openReplicas(options)
  const kind = keepKind(db)
  const metrics = createMetrics({
    database: kind,
    memory,
    connectionPool: () => connectionStateOf(db),
    replicas: replicas?.states,
    feedDelay: options.changesRetention > 0 ? () => readFeedDelay(db) : undefined,
    circuit: remoteFilter?.circuit,
    configuration: globalConfig.state,
    peers: options.peers,
  })
  void hasRowSecurity(db).then(
    (isUsable) => isUsable || log.warn(`row-level security is off: the role ${tenantRole} cannot be used`),
    () => {},
  )
  void codeIndexAdvice(db)
    .then((advice) => advice && log.warn(advice))
    .catch(() => {})
  // Background work starts once the gateway listens; jobs that are queued before are found by then.
  let runner: JobRunner | undefined
  let stopMaintenance: (() => Promise<void>) | undefined
  let stopReader: (() => Promise<void>) | undefined
  const { api, runPatterns, closeThreadPools } = createMainThreadApi(options, replicas, () => runner?.wake())
  let isStopping = false
  const logRequest = createRequestLog(log)
  const readiness = createReadiness(db, remoteFilter?.isReachable)
  const graphiql = createGraphiql(enumerations)
  const server = createHttpServer({
    authenticate: createAdmission(options),
    ...api,
    mcp: options.mcp === 'off' ? undefined : lazy(() => loadMcp(options, api)),
    maxAnswerBytes,
    graphiql: async () => (await graphiql()).page,
    pages: createPages(enumerations, ownVersion(), graphiql, async () => ({
      status: isStopping ? 'unavailable' : await readiness(),
      database: kind() === 'plain' ? undefined : kind(),
    })),
    metrics: async (admission, authorization) => {
      if (!metricsPublic) requireAdmin(admission.caller(), authorization)
      return metrics.read()
    },
    memory,
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
    const jobsEnded = runner?.stop()
    await stopServer(server, stop)
    await jobsEnded
    await stopReader?.()
    await stopMaintenance?.()
    await closeThreadPools()
    await replicas?.close()
  }
  try {
    const url = await listen(server, { host, port })
    const jobQuotas = jobQuotasOf(options)
    const threads = createJobThreads(options, jobQuotas)
    runner = new JobRunner({ db, connection: options.connection, enumerations, threads, log })
    stopMaintenance = startMaintenance(db, { ...options, jobQuotas, jobQueued: () => runner?.wake() }, log)
    if (options.changesRetention > 0) stopReader = startOwnReader(options.connection, runPatterns, log)
    return { url, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function loadMcp(options: GatewayOptions, api: Api) {
  const { createMcp } = await import('../mcp/mcp.ts')
  return createMcp(schema, options, api)
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
    recordsChanges: options.changesRetention > 0,
    logLevel: log.level,
  }
  // A step is mostly one statement, and may take as long as any.
  const pool = { workerData, log, deadlineMs: 30_000, maxMs: 60_000, hasSpare: true }
  const threadPool = createThreadPool({ entry: threadProgram('pool'), ...pool })
  // Of its own: a request that waits for it may hold locks that requests in the other pool wait for.
  const patternPool = createThreadPool({ entry: threadProgram('pattern'), log })
  const runPatterns = (tasks: readonly PatternTask[]) => patternPool.run<PatternResult[]>({ input: tasks, moved: [] })
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
    recordsChanges: workerData.recordsChanges,
    threads: createThreadPoolApi(threadPool, enumerations, onJobQueued),
    runPatterns,
  })
  return { api, runPatterns, closeThreadPools: () => Promise.all([threadPool.close(), patternPool.close()]) }
}

function jobQuotasOf({ quotaQueuedJobs: queued, quotaJobOutputMb: keptMb }: GatewayOptions): JobQuotas {
  return { queued, keptMb }
}
