import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { errorResponse, type RestRequest, type RestResponse } from '../../rest/handler.ts'
import { RestError } from '../../rest/rest-error.ts'
import { type RequestScope, requestScope, type ServedRequest } from '../request-scope.ts'
import type { Tracing } from '../tracing/trace.ts'
import type { RoomOf } from './body-memory.ts'
import type { CorsAnswer } from './cors.ts'
import { departureOf } from './departure.ts'
import { type GraphQLDoor, serveGraphQL } from './graphql-edge.ts'
import { createServer } from './node-http.ts'
import { type Page, servePage } from './page.ts'
import { answerParserErrors } from './parser-errors.ts'
import { type RequestId, requestIdOf } from './request-id.ts'
import { type Answer, respond } from './respond.ts'
import { serveRest } from './rest-edge.ts'

/** What the server leads to. */
export interface Doors<Caller> {
  rest(request: RestRequest): Promise<RestResponse>
  graphql: GraphQLDoor<Caller>
  /** What people and tools read without a token: path to page. */
  pages: ReadonlyMap<string, () => Page | Promise<Page>>
  /** Whether requests can be answered: the database is reachable. */
  ready(): Promise<boolean>
  /** Bounds the memory for bodies. */
  roomOf: RoomOf
  /** Hears of what no door has caught. */
  onError(error: unknown, requestId: string): void
  /** Begins the spans of a request, while requests are traced. */
  trace?: Tracing['begin'] | undefined
  /** What pages of other origins may do; undefined: nothing. */
  cors?: ((request: IncomingMessage) => CorsAnswer | undefined) | undefined
  /** Hears of each request once its answer is on its way. */
  onServed(served: ServedRequest): void
  /** The service's own figures, for an administrator. Throws a `RestError` for anybody else. */
  metrics(authorization: string | undefined): Promise<Page>
}

/** Slow clients are cut: headers within 10 s, the whole request within 15 s. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
}

/** The HTTP server: it knows paths and sockets, the doors behind it know the rest. */
export function createHttpServer<Caller>(doors: Doors<Caller>): Server {
  const server = createServer({ ...timeouts, requireHostHeader: false }, (request, response) => {
    const id = requestIdOf(request)
    const traceparent = traceparentOf(request)
    const trace = doors.trace?.({ method: request.method ?? 'GET', traceparent })
    const isGone = () => response.destroyed
    const scope: RequestScope = { requestId: id, traceparent, trace, isGone, onGone: departureOf(response) }
    const began = performance.now()
    requestScope
      .run(scope, route, doors, request, response, id)
      .catch((error: unknown) => {
        if (request.destroyed && !request.complete) return
        doors.onError(error, id.text)
        if (response.headersSent) response.destroy()
        else refuse(request, response, id, mistake)
      })
      .then(() => {
        const status = isGone() ? clientGone : response.statusCode
        doors.onServed({ scope, status, durationMs: performance.now() - began })
      })
  })
  answerParserErrors(server)
  return server
}

/** The status of a request in the log and the metrics whose client left before there was an answer: nobody got one. */
const clientGone = 499

const mistake = new RestError('internal_error', 'the service made a mistake; it has been logged')

function traceparentOf({ headers }: IncomingMessage): string | undefined {
  return typeof headers.traceparent === 'string' ? headers.traceparent : undefined
}

async function route<Caller>(
  doors: Doors<Caller>,
  request: IncomingMessage,
  response: ServerResponse,
  id: RequestId,
): Promise<void> {
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    return refuse(request, response, id, new RestError('invalid_request', 'the header Host is required'))
  }
  if (countHosts(request) > 1) {
    response.shouldKeepAlive = false
    return refuse(request, response, id, new RestError('invalid_request', 'the header Host must come once'))
  }
  const cors = doors.cors?.(request)
  if (cors) addHeaders(cors.headers)
  if (cors?.isPreflight) return respond(request, response, id, { status: 204, headers: {} })
  const url = targetOf(request)
  const page = await doors.pages.get(url.path)?.()
  if (page && (!page.isForBrowsers || acceptsHtml(request))) return servePage(page, request, response, id)
  if (url.path === '/v1' || url.path.startsWith('/v1/')) return serveRest(doors, request, response, url, id)
  if (url.path === '/graphql') return serveGraphQL(doors.graphql, request, response, url.search, id)
  if (url.path === '/metrics') return serveMetrics(doors, request, response, id)
  if (url.path === '/health') return probe(request, response, id, true)
  if (url.path === '/ready') return probe(request, response, id, await doors.ready())
  refuse(request, response, id, new RestError('not_found', `there is no path ${JSON.stringify(url.path)}`))
}

/** Headers of the request's answer, whichever that will be. */
export function addHeaders(headers: Record<string, string>): void {
  const scope = requestScope.getStore()
  if (scope) scope.headers = { ...scope.headers, ...headers }
}

async function serveMetrics<Caller>(
  doors: Doors<Caller>,
  request: IncomingMessage,
  response: ServerResponse,
  id: RequestId,
): Promise<void> {
  try {
    servePage(await doors.metrics(request.headers.authorization), request, response, id)
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    refuse(request, response, id, error)
  }
}

/** Node keeps the first of several and says nothing; what stands between us and the client may have gone by another. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && /host/i.test(rawHeaders[i] ?? '')) count++
  return count
}

function acceptsHtml(request: IncomingMessage): boolean {
  return request.headers.accept?.includes('text/html') ?? false
}

/** The path and query of a request target, in origin form (`/v1/assets?…`) or absolute form (`http://host/v1/assets?…`). */
function targetOf(request: IncomingMessage): { path: string; search: string } {
  const { url = '/' } = request
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = target.indexOf('?')
  return mark < 0 ? { path: target, search: '' } : { path: target.slice(0, mark), search: target.slice(mark + 1) }
}

function probe(request: IncomingMessage, response: ServerResponse, id: RequestId, good: boolean): void {
  const allow = 'GET, HEAD, OPTIONS'
  const details = `this path takes ${allow}; got ${request.method}`
  if (request.method === 'OPTIONS') respond(request, response, id, { status: 204, headers: { Allow: allow } })
  else if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuse(request, response, id, new RestError('method_not_allowed', details, { Allow: allow }))
  } else respond(request, response, id, good ? alive : waiting)
}

const alive: Answer = Object.freeze({ status: 200, headers: {}, body: '{"status":"ok"}' })
const waiting: Answer = Object.freeze({
  status: 503,
  headers: { 'Retry-After': '1' },
  body: '{"status":"unavailable"}',
})

function refuse(request: IncomingMessage, response: ServerResponse, id: RequestId, error: RestError): void {
  respond(request, response, id, errorResponse(error, id.text))
}
