import { unauthorized } from '../../rest/handler.ts'
import { RestError } from '../../rest/response/rest-error.ts'
import { createAdmission } from '../auth/admission.ts'
import { type Caller, hasScope } from '../auth/caller.ts'
import type { JwtOptions } from '../auth/jwt.ts'
import { poolOf, poolStateOf } from '../database/connect.ts'
import { warnIfRowSecurityIsUnavailable } from '../database/tenant.ts'
import { createBodyMemory } from '../http/body-memory.ts'
import { createCors } from '../http/cors.ts'
import { type StopOptions, stopServer } from '../http/drain.ts'
import { listen } from '../http/listen.ts'
import { createHttpServer } from '../http/server.ts'
import { createPages } from '../http/static/pages.ts'
import { JobRunner } from '../jobs/runner.ts'
import { createMetrics } from '../metrics/metrics.ts'
import type { ClusterPeers } from '../metrics/registry.ts'
import { logRequest } from '../request/log.ts'
import { loggableError } from '../request/loggable-error.ts'
import type { Tracing } from '../tracing/trace.ts'
import { type ApisOptions, createApis } from './apis.ts'
import { createGraphiql, createOpenApi } from './documents.ts'
import { createReadiness } from './ready.ts'
import { createOperationNames } from './rest-services.ts'
import { startRetention } from './retention.ts'

export interface GatewayOptions extends ApisOptions {
  bootstrapToken: string | undefined
  /** The OpenID provider whose tokens are accepted, if any. */
  jwt?: JwtOptions | undefined
  /** Requests per minute and token, and whether instances count them together; undefined: no limit. */
  rateLimit?: number | undefined
  rateLimitShared?: boolean | undefined
  /** The other processes that answer at the same port, if there are any. */
  peers?: ClusterPeers | undefined
  /** The origins whose pages may call from a browser. */
  corsOrigins?: readonly string[] | undefined
  /** Whether /metrics needs no token. */
  metricsPublic?: boolean
  /** What makes the spans of requests, if they are traced. */
  tracing?: Tracing | undefined
  host: string
  port: number
  /** The memory for bodies of requests that have no answer yet; one token may use half of it. */
  maxBodyBytes?: number
}

export interface Gateway {
  /** Where it listens: `http://127.0.0.1:4000`. */
  url: string
  /** Reports that it is not ready, stops accepting, lets requests end, and resolves when all connections are closed. */
  close(options?: StopOptions): Promise<void>
}

/** Builds the gateway and listens: the one place where all parts meet. The caller opens and closes the database. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { db, globalConfig, remoteFilter, metricsPublic = false, corsOrigins = [], tracing, host, port, log } = options
  const { maxBodyBytes = 256 * 1024 * 1024 } = options
  const { enumerations } = globalConfig
  const admit = createAdmission({
    db,
    bootstrapToken: options.bootstrapToken,
    jwt: options.jwt,
    rateLimit: options.rateLimit,
    countsIn: options.rateLimitShared ? poolOf(db) : undefined,
  })
  const bodyMemory = createBodyMemory(maxBodyBytes)
  const metrics = createMetrics({
    bodies: () => ({ held: bodyMemory.reserved(), most: maxBodyBytes }),
    pool: () => poolStateOf(db),
    circuit: remoteFilter?.circuit,
    configuration: globalConfig.state,
    peers: options.peers,
  })
  warnIfRowSecurityIsUnavailable(db, (words) => log.warn(words))
  // Background work starts once the gateway listens; jobs that are queued before are found by then.
  let runner: JobRunner | undefined
  let stopRetention: (() => void) | undefined
  const { api, closePool } = createApis(options, () => runner?.wake())
  let isStopping = false
  const isReady = createReadiness(db, remoteFilter?.isReachable)
  const server = createHttpServer({
    authenticate: admit,
    rest: { answer: api.rest, operationOf: createOperationNames() },
    graphql: { answer: api.graphql, page: createGraphiql(globalConfig), errorOf: api.errorOf },
    ready: async () => !isStopping && isReady(),
    pages: createPages({ openApi: createOpenApi(globalConfig) }),
    metrics: async (admission) => {
      if (!metricsPublic) requireAdmin(admission.caller())
      return metrics.read()
    },
    bodyMemory,
    cors: corsOrigins.length > 0 ? createCors(corsOrigins) : undefined,
    trace: tracing?.begin,
    onServed: (served, trace) => {
      const { door, operation, status, durationMs, requestId } = served
      metrics.observe(door, operation, status, durationMs)
      logRequest(log, served)
      trace?.end({ name: `${door} ${operation}`, status, attributes: { 'catalogue.request_id': requestId } })
    },
    onError: (error, requestId) => log.error({ err: loggableError(error), requestId }, 'unexpected error'),
  })

  const close = async (stop: StopOptions = { readinessDelayMs: 0, drainMs: 0, forceCloseMs: 60_000 }) => {
    isStopping = true
    stopRetention?.()
    const jobsEnded = runner?.stop()
    await stopServer(server, stop)
    await jobsEnded
    await closePool()
  }
  try {
    const url = await listen(server, { host, port })
    runner = new JobRunner({ db, connection: options.connection, enumerations, log })
    stopRetention = startRetention(db, log)
    return { url, close }
  } catch (error) {
    await close()
    throw error
  }
}

function requireAdmin(caller: Caller | undefined): void {
  if (!caller) throw unauthorized
  if (!hasScope(caller, 'admin')) throw new RestError('forbidden', 'this needs a token with the scope admin')
}
