import type { AddressInfo } from 'node:net'
import type { Transaction } from 'kysely'
import { createAnswerCache } from '../rest/answer-cache.ts'
import { endpoints } from '../rest/endpoints.ts'
import { createHandler, unauthorized } from '../rest/handler.ts'
import { RestError } from '../rest/rest-error.ts'
import { schema } from '../schema/index.ts'
import { createAdmission } from './auth/admission.ts'
import { type Caller, hasScope } from './auth/caller.ts'
import { viewOf, viewWithin } from './catalog/viewer.ts'
import { createContext } from './context.ts'
import { poolOf, poolStateOf } from './database/connect.ts'
import type { Database } from './database/tables.ts'
import { warnOfOneWall } from './database/tenant.ts'
import type { RemoteFilter } from './filter/remote-filter.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { requireAccess } from './graphql/access.ts'
import { createExecutor } from './graphql/executor.ts'
import { createGuard } from './graphql/guard.ts'
import { publicError } from './graphql/public-error.ts'
import { createShortcut } from './graphql/shortcut.ts'
import { createCors } from './http/cors.ts'
import { addHeaders, createHttpServer } from './http/server.ts'
import { type StopOptions, stopServer } from './http/stop.ts'
import { createOnce } from './idempotency/once.ts'
import { startSweeping } from './idempotency/sweep.ts'
import { startRunner } from './jobs/runner.ts'
import { createMetrics } from './metrics/metrics.ts'
import { notingOperation, notingToken } from './note-request.ts'
import { once } from './once.ts'
import { createPages } from './pages/pages.ts'
import { createReadiness } from './ready.ts'
import { logRequest } from './request-log.ts'
import { endTrace, operationName, traced } from './tracing/traced.ts'

export interface Gateway {
  /** Where it listens: `http://127.0.0.1:4000`. */
  url: string
  /** Is no longer ready, stops accepting, lets requests under way end, and resolves when all connections are closed. */
  close(options?: StopOptions): Promise<void>
}

/** Brings schema, façade and HTTP together and listens. The one place where they meet. The database is the caller's, to open and to close. */
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
}: GatewayOptions): Promise<Gateway> {
  const admission = createAdmission({
    ...{ db, connection, bootstrapToken, jwt, rateLimit },
    countsIn: rateLimitShared ? poolOf(db) : fellows && 'primary',
    tell: addHeaders,
    log,
  })
  const authenticate = notingToken(admission.authenticate)
  const metrics = createMetrics({
    pool: () => poolStateOf(db),
    circuit: remoteFilter?.circuit,
    configuration: globalConfig.state,
    fellows,
  })
  const filter: RemoteFilter['filter'] | undefined =
    remoteFilter && ((...question) => traced('filter', 'filter', () => remoteFilter.filter(...question)))
  const contextOf = (caller: Caller, requestId: string, transaction?: Transaction<Database>) =>
    createContext({
      db: transaction ? viewWithin(db, transaction, caller.viewer) : viewOf(db, caller.viewer),
      caller,
      requestId,
      enumerations: globalConfig.enumerations(),
      filter,
      jobQueued: runner.wake,
    })
  const runner = startRunner({ db, enumerations: globalConfig.enumerations, log })
  const doOnce = createOnce(db)
  const stopSweeping = startSweeping(db, log)
  warnOfOneWall(db, (words) => log.warn(words))
  const executor = createExecutor(
    schema,
    endpoints.flatMap(({ document, version }) => [document, ...(version ? [version.document] : [])]),
    log,
  )
  const execute: typeof executor = (...args) => traced('operation', 'graphql', () => executor(...args), operationName)
  const guard = createGuard(schema, introspection)
  const shortcut = persistedDocuments?.only ? async () => undefined : createShortcut(schema, guard, log)
  // What the first answers do without is loaded when it is first asked for.
  const yoga = once(async () =>
    (await import('./graphql/yoga.ts')).createGraphQL(schema, guard, log, persistedDocuments),
  )
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
    rest: notingOperation(
      endpoints,
      createHandler(endpoints, {
        authenticate,
        answers: createAnswerCache(Math.floor(pageCacheMb * 1024 * 1024)),
        enumerations: globalConfig.enumerations,
        authorize: (document, caller) => requireAccess(schema, document, undefined, caller),
        execute: (document, variables, { caller, requestId }) =>
          execute(document, variables, contextOf(caller, requestId)),
        once: (request, work) =>
          doOnce(request, (transaction) =>
            work((document, variables, { caller, requestId }) =>
              execute(document, variables, contextOf(caller, requestId, transaction)),
            ),
          ),
        errorOf: (thrown, requestId) => publicError(thrown, log.child({ requestId })),
      }),
    ),
    graphql: {
      authenticate,
      page: graphiql,
      shortcut: (request, caller, requestId) =>
        traced('operation', 'graphql', () => shortcut(request, contextOf(caller, requestId)), operationName),
      fetch: (url, init, caller, requestId) =>
        traced(
          'operation',
          'graphql',
          async () => (await yoga()).fetch(url, init, contextOf(caller, requestId)),
          operationName,
        ),
      errorOf: (thrown, requestId) => publicError(thrown, log.child({ requestId })),
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
    onError: (error, requestId) => log.error({ err: error, requestId }, 'unexpected error'),
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
    },
  }
}

function requireAdmin(caller: Caller | undefined): void {
  if (!caller) throw unauthorized
  if (!hasScope(caller, 'admin')) throw new RestError('forbidden', 'this needs a token with the scope admin')
}
