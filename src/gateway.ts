import type { AddressInfo } from 'node:net'
import { endpoints } from '../rest/endpoints.ts'
import { unauthorized } from '../rest/handler.ts'
import { RestError } from '../rest/rest-error.ts'
import { limitAnswers } from './answer-limit.ts'
import { createAdmission } from './auth/admission.ts'
import { type Caller, hasScope } from './auth/caller.ts'
import { poolOf, poolStateOf } from './database/connect.ts'
import { warnOfOneWall } from './database/tenant.ts'
import { createDoors } from './doors.ts'
import type { RemoteFilter } from './filter/remote-filter.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { createElsewhere } from './heavy/elsewhere.ts'
import { createHeavyThread } from './heavy/heavy-thread.ts'
import { createBodyMemory } from './http/body-memory.ts'
import { createCors } from './http/cors.ts'
import { addHeaders, createHttpServer } from './http/server.ts'
import { type StopOptions, stopServer } from './http/stop.ts'
import { startSweeping } from './idempotency/sweep.ts'
import { startRunner } from './jobs/runner.ts'
import { loggableError } from './loggable-error.ts'
import { createMetrics } from './metrics/metrics.ts'
import { notingOperation, notingToken } from './note-request.ts'
import { once } from './once.ts'
import { createPages } from './pages/pages.ts'
import { createReadiness } from './ready.ts'
import { logRequest } from './request-log.ts'
import { endTrace, traced } from './tracing/traced.ts'

export interface Gateway {
  /** Where it listens: `http://127.0.0.1:4000`. */
  url: string
  /** Is no longer ready, stops accepting, lets requests under way end, and resolves when all connections are closed. */
  close(options?: StopOptions): Promise<void>
}

/** Puts the doors behind HTTP and listens. The one place where all parts meet. The database is the caller's, to open and to close. */
export async function startGateway({
  db,
  connection,
  globalConfig,
  remoteFilter,
  bootstrapToken,
  jwt,
  introspection = 'all',
  persistedDocuments,
  rateLimit,
  rateLimitShared = false,
  fellows,
  corsOrigins = [],
  metricsPublic = false,
  tracing,
  host,
  port,
  log,
  pageCacheMb = 32,
  mostAnswerBytes = 64 * 1024 * 1024,
  mostBodyBytes = 256 * 1024 * 1024,
  light = { bytes: 64 * 1024, cost: 5_000, read: 512 * 1024 },
}: GatewayOptions): Promise<Gateway> {
  const admission = createAdmission({
    ...{ db, connection, bootstrapToken, jwt, rateLimit },
    countsIn: rateLimitShared ? poolOf(db) : fellows && 'primary',
    tell: addHeaders,
    log,
  })
  const authenticate = notingToken(admission.authenticate)
  const { roomOf, held } = createBodyMemory(mostBodyBytes)
  const metrics = createMetrics({
    bodies: () => ({ held: held(), most: mostBodyBytes }),
    pool: () => poolStateOf(db),
    circuit: remoteFilter?.circuit,
    configuration: globalConfig.state,
    fellows,
  })
  const filter: RemoteFilter['filter'] | undefined =
    remoteFilter && ((...question) => traced('filter', 'filter', () => remoteFilter.filter(...question)))
  const runner = startRunner({ db, enumerations: globalConfig.enumerations, log })
  const stopSweeping = startSweeping(db, log)
  warnOfOneWall(db, (words) => log.warn(words))
  const heavy =
    connection &&
    createHeavyThread({ connection, introspection, persistedDocuments, filter, jobQueued: runner.wake, log })
  const allDoors = createDoors({
    ...{ db, authenticate, filter, introspection, persistedDocuments, pageCacheMb, log },
    enumerations: globalConfig.enumerations,
    jobQueued: runner.wake,
    elsewhere: heavy && createElsewhere(heavy, globalConfig.enumerations, light),
  })
  const doors = limitAnswers(allDoors, mostAnswerBytes)
  // What the first answers do without is loaded when it is first asked for.
  const graphiql = once(async () => {
    const [{ graphiqlPage }, { graphqlTwins }] = await Promise.all([
      import('./pages/graphiql.ts'),
      import('../rest/openapi/operation.ts'),
    ])
    return graphiqlPage(graphqlTwins(endpoints, globalConfig.enumerations()))
  })
  const openApi = once(async () =>
    (await import('../rest/openapi/document.ts')).openApiText(endpoints, globalConfig.enumerations),
  )

  let isStopping = false
  const isReady = createReadiness(db, remoteFilter?.isReachable)
  const server = createHttpServer({
    roomOf,
    rest: notingOperation(endpoints, doors.rest),
    graphql: {
      ...{ authenticate, roomOf },
      answer: doors.graphql,
      page: graphiql,
      errorOf: doors.errorOf,
    },
    ready: async () => !isStopping && isReady(),
    pages: createPages({ openApi: async () => (await openApi())() }),
    metrics: async (authorization) => {
      if (!metricsPublic) requireAdmin(await authenticate(authorization))
      return metrics.read()
    },
    onServed: (served) => {
      const { door = 'other', operation = 'none' } = served.scope
      metrics.observe(door, operation, served.status, served.durationMs)
      logRequest(log, served)
      endTrace(served)
    },
    cors: corsOrigins.length > 0 ? createCors(corsOrigins) : undefined,
    trace: tracing?.begin,
    onError: (error, requestId) => log.error({ err: loggableError(error), requestId }, 'unexpected error'),
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: actualPort } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    close: async (options = { noticeMs: 0, farewellMs: 0, patienceMs: 60_000 }) => {
      isStopping = true
      stopSweeping()
      const jobsEnded = runner.stop()
      await stopServer(server, options)
      await admission.close()
      await jobsEnded
      await heavy?.close()
    },
  }
}

function requireAdmin(caller: Caller | undefined): void {
  if (!caller) throw unauthorized
  if (!hasScope(caller, 'admin')) throw new RestError('forbidden', 'this needs a token with the scope admin')
}
