import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorResponse } from '../../rest/answers/error.ts'
import type { Authentication } from '../auth/authentication.ts'
import { startOnePerTick } from '../event-loop/start-one-per-tick.ts'
import type { MemoryBudget } from '../fair-share/memory-budget.ts'
import { tenantOf } from '../request/caller.ts'
import { withContext } from '../request/context.ts'
import type { RequestHeaders } from '../request/exchange.ts'
import { HttpError, unauthorized } from '../request/http-error.ts'
import type { RequestId } from '../request/request-id.ts'
import { byteLength } from './body/body-size.ts'
import { compressed } from './compress.ts'
import { type GraphQLApi, serveGraphQL } from './edges/graphql-edge.ts'
import type { HttpRequest, HttpResult } from './edges/http-request.ts'
import { type Mcp, serveMcp } from './edges/mcp-edge.ts'
import { type RestApi, serveRest } from './edges/rest-edge.ts'
import { answerWithPage, type Page } from './static/page.ts'

export interface Routes extends RestApi, GraphQLApi {
  /** The tools for agents; undefined: switched off. */
  mcp: (() => Promise<Mcp>) | undefined
  authenticate(authorization: string | undefined): Promise<Authentication>
  /** The pages that need no token, by path. */
  pages: ReadonlyMap<string, () => Page | Promise<Page>>
  /** The service's metrics. Throws when the caller may not read them. */
  metrics(requireCaller: HttpRequest['requireCaller']): Promise<Page>
  /** The memory for bodies and unread answers of open requests. */
  memory: MemoryBudget
}

/** Serves a page, or authenticates the caller and calls the API of the path. Throws an `HttpError`. */
export async function route(
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
  id: RequestId,
): Promise<HttpResult> {
  requireClearHeaders(request, response)
  const { path, search } = targetOf(request)
  const page = await routes.pages.get(path)?.()
  // Sixty clients may ask for several megabytes each.
  if (page && byteLength(page.body) > largeBytes) await startOnePerTick()
  const wantsHtml = request.headers.accept?.includes('text/html')
  if (page && (!page.isForBrowsers || wantsHtml)) {
    return { answer: await compressed(request, answerWithPage(page, request, search)) }
  }
  const edge = edgeOf(routes, path)
  if (!edge) {
    const details = page
      ? `${path} is a page for browsers: send Accept: text/html`
      : `there is no path ${JSON.stringify(path)}`
    throw new HttpError('not_found', details)
  }
  // Node makes a list of Set-Cookie alone.
  const headers = request.headers as RequestHeaders
  return serveCaller(routes, edge, { request, path, search, headers, id }, response)
}

/** Writing a larger page takes as long as a small request. */
const largeBytes = 64 * 1024

type Edge = (incoming: HttpRequest) => Promise<HttpResult>

function edgeOf(routes: Routes, path: string): Edge | undefined {
  if (path === '/v1' || path.startsWith('/v1/')) return (incoming) => serveRest(routes, incoming)
  if (path === '/graphql') return (incoming) => serveGraphQL(routes, incoming)
  const { mcp } = routes
  if (path === '/mcp' && mcp) return (incoming) => serveMcp(mcp, incoming)
  if (path !== '/metrics') return undefined
  return async ({ request, requireCaller }) => ({
    answer: answerWithPage(await routes.metrics(requireCaller), request),
  })
}

/** Authenticates the caller and serves the request, within the tenant's memory. */
async function serveCaller(
  routes: Routes,
  edge: Edge,
  incoming: Pick<HttpRequest, 'request' | 'path' | 'search' | 'headers' | 'id'>,
  response: ServerResponse,
): Promise<HttpResult> {
  const { authorization } = incoming.headers
  const { caller, error, headers = {} } = await routes.authenticate(authorization)
  const { tokenId = '', tokenName } = caller ?? {}
  const tenant = caller ? tenantOf(caller) : ''
  // A function, so that the API renders its errors.
  const requireCaller = () => {
    if (error !== undefined) throw error
    if (!caller) throw unauthorized(authorization)
    routes.memory.requireMemory(tenant)
    return caller
  }
  const reserve = routes.memory.reserveFor(response, tenant)
  const toResult = (thrown: unknown): HttpResult => {
    const { text } = incoming.id
    return { answer: errorResponse(routes.errorOf(thrown, text), text) }
  }
  // The queues share connections and threads among the tenants of contexts.
  return withContext({ tenant, tokenId, reserve }, async () => {
    const { answer, summary } = await edge({ ...incoming, requireCaller }).catch(toResult)
    return { answer: await compressed(incoming.request, answer), headers, summary: { tokenName, ...summary } }
  })
}

/** Node drops further headers unread: a request that has as many is refused. */
export const maxHeaders = 100

/** Throws for headers that a proxy may have understood differently. */
function requireClearHeaders({ headers, httpVersion, rawHeaders }: IncomingMessage, response: ServerResponse): void {
  if (rawHeaders.length >= 2 * maxHeaders) {
    throw new HttpError('invalid_request', `the request must have fewer than ${maxHeaders} headers`)
  }
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new HttpError('invalid_request', 'the header Host is required')
  }
  const { 'transfer-encoding': coding = 'chunked' } = headers
  const repeated = ['host', 'authorization'].find((name) => isRepeated(name, rawHeaders))
  if (repeated === undefined && coding.toLowerCase() === 'chunked') return
  response.shouldKeepAlive = false
  const problem = `the header Transfer-Encoding must be chunked; got ${JSON.stringify(coding)}`
  throw new HttpError('invalid_request', repeated === undefined ? problem : `the header ${repeated} must come once`)
}

/** Node silently keeps the first of several such headers. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count++
  return count > 1
}

/** The path and query of a request target, in origin (`/v1/assets?…`) or absolute form (`http://host/v1/assets?…`). */
function targetOf(request: IncomingMessage): { path: string; search: string } {
  const { url = '/' } = request
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  return mark < 0 ? { path: target, search: '' } : { path: target.slice(0, mark), search: target.slice(mark + 1) }
}
