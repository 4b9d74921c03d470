import type { Server } from 'node:http'
import { schema } from '../../schema/index.ts'
import { createCountedAuthentication } from '../auth/authentication.ts'
import { lostServersOf } from '../database/connection/connect.ts'
import type { DatabaseKind } from '../database/kind.ts'
import { ownVersion } from '../database/version.ts'
import { maxAnswerBytes as ordinaryAnswerBytes } from '../graphql/limits/answer-size.ts'
import { createCors } from '../http/cors.ts'
import type { Routes } from '../http/router.ts'
import { createHttpServer } from '../http/server.ts'
import { createPages } from '../http/static/pages.ts'
import { lazy } from '../lazy.ts'
import { type Caller, hasScope } from '../request/caller.ts'
import { HttpError } from '../request/http-error.ts'
import { createRequestLog } from '../request/log.ts'
import type { Api } from './api/api.ts'
import type { Metrics } from './gateway-metrics.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { Status } from './status.ts'

interface ServerParts extends Pick<Routes, 'findCaller' | 'memory'> {
  api: Api
  metrics: Metrics
  kind: DatabaseKind | undefined
  status(): Promise<Status>
}

/** The HTTP server of a gateway: its API, its pages, and what reports its requests. */
export function createGatewayServer(options: GatewayOptions, parts: ServerParts): Server {
  const { findCaller, memory, api, metrics, kind, status } = parts
  const { db, globalConfig, metricsPublic, tracing, log } = options
  const database = kind === 'plain' ? undefined : kind
  const { pages, graphiql } = createPages(globalConfig.enumerations, ownVersion(), async () => {
    const lost = lostServersOf(db)
    return { status: await status(), database, ...(lost.length > 0 && { lost_servers: lost }) }
  })
  const logRequest = createRequestLog(log)
  return createHttpServer({
    authenticate: createCountedAuthentication(findCaller, options),
    findCaller,
    ...api,
    mcp: options.mcp === 'off' ? undefined : lazy(() => loadMcp(options, api)),
    maxAnswerBytes: options.maxAnswerBytes ?? ordinaryAnswerBytes,
    fileLimits: { maxBytes: options.importMax, ...options.uploadTimes },
    graphiql,
    pages,
    metrics: async (requireCaller) => {
      if (!metricsPublic) requireAdmin(requireCaller())
      return metrics.read()
    },
    memory,
    cors: createCors(options.corsOrigins, log),
    trace: tracing?.begin,
    onServed: (served, trace) => {
      const { api, operation, status, durationMs, requestId } = served
      metrics.observe(api, operation, status, durationMs)
      logRequest(served)
      trace?.end({ name: `${api} ${operation}`, status, attributes: { 'catalogue.request_id': requestId } })
    },
  })
}

function requireAdmin(caller: Caller): void {
  if (!hasScope(caller, 'admin')) throw new HttpError('forbidden', 'this needs a token with the scope admin')
}

async function loadMcp(options: GatewayOptions, api: Api) {
  const { createMcp } = await import('../mcp/mcp.ts')
  return createMcp(schema, options, api)
}
