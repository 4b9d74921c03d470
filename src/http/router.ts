import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorResponse } from '../../rest/handler.ts'
import { RestError } from '../../rest/response/rest-error.ts'
import { withContext } from '../request/context.ts'
import type { RequestId } from '../request/request-id.ts'
import type { BodyMemory } from './body-memory.ts'
import { type GraphQLApi, serveGraphQL } from './graphql-edge.ts'
import { answerWithPage, type Page } from './page.ts'
import type { Answer } from './respond.ts'
import { type RestApi, serveRest } from './rest-edge.ts'
import type { Admission, Routed } from './routed.ts'

/** What the server serves. */
export interface Routes<Caller> {
  authenticate(authorization: string | undefined): Promise<Admission<Caller>>
  rest: RestApi<Caller>
  graphql: GraphQLApi<Caller>
  /** What people and tools read without a token: path to page. */
  pages: ReadonlyMap<string, () => Page | Promise<Page>>
  /** Whether requests can be answered: the database is reachable. */
  ready(): Promise<boolean>
  /** The service's metrics. Throws a `RestError` when the caller may not read them. */
  metrics(admission: Admission<Caller>): Promise<Page>
  /** Bounds the memory for bodies. */
  bodyMemory: BodyMemory
}

/** Finds what serves a request by its path, and authenticates the caller where that needs a token. */
export async function route<Caller>(
  routes: Routes<Caller>,
  request: IncomingMessage,
  response: ServerResponse,
  id: RequestId,
): Promise<Routed> {
  const refuse = (error: RestError): Routed => ({ answer: errorResponse(error, id.text) })
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    return refuse(new RestError('invalid_request', 'the header Host is required'))
  }
  if (countHosts(request) > 1) {
    response.shouldKeepAlive = false
    return refuse(new RestError('invalid_request', 'the header Host must come once'))
  }
  const { path, search } = targetOf(request)
  const page = await routes.pages.get(path)?.()
  if (page && (!page.isForBrowsers || acceptsHtml(request))) return { answer: answerWithPage(page, request.method, id) }
  if (path === '/v1' || path.startsWith('/v1/')) {
    return authenticated(routes, request, (admission) => {
      const reserve = routes.bodyMemory.reserveFor(response, admission.tokenId)
      return serveRest(routes.rest, request, { path, search }, id, admission, reserve)
    })
  }
  if (path === '/graphql') {
    return authenticated(routes, request, (admission) => {
      const reserve = routes.bodyMemory.reserveFor(response, admission.tokenId)
      return serveGraphQL(routes.graphql, request, search, id, admission, reserve)
    })
  }
  if (path === '/metrics') return serveMetrics(routes, request, id)
  if (path === '/health') return { answer: probe(request, id, true) }
  if (path === '/ready') return { answer: probe(request, id, await routes.ready()) }
  return refuse(new RestError('not_found', `there is no path ${JSON.stringify(path)}`))
}

/** Serves a request on behalf of its caller: what follows is shared fairly among tokens. */
async function authenticated<Caller>(
  routes: Routes<Caller>,
  request: IncomingMessage,
  serve: (admission: Admission<Caller>) => Promise<Routed>,
): Promise<Routed> {
  const admission = await routes.authenticate(request.headers.authorization)
  const { tokenId, tokenName, headers } = admission
  const { answer, summary } = await withContext({ tokenId }, () => serve(admission))
  return { answer, headers, summary: { tokenName, ...summary } }
}

async function serveMetrics<Caller>(routes: Routes<Caller>, request: IncomingMessage, id: RequestId): Promise<Routed> {
  const admission = await routes.authenticate(request.headers.authorization)
  try {
    return { answer: answerWithPage(await routes.metrics(admission), request.method, id), headers: admission.headers }
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return { answer: errorResponse(error, id.text), headers: admission.headers }
  }
}

/** Node keeps the first of several and says nothing; a proxy before us may have routed by another. */
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

function probe(request: IncomingMessage, id: RequestId, isGood: boolean): Answer {
  const allow = 'GET, HEAD, OPTIONS'
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: allow } }
  if (request.method === 'GET' || request.method === 'HEAD') return isGood ? ok : unavailable
  const details = `this path takes ${allow}; got ${request.method}`
  return errorResponse(new RestError('method_not_allowed', details, { Allow: allow }), id.text)
}

const ok: Answer = Object.freeze({ status: 200, headers: {}, body: '{"status":"ok"}' })
const unavailable: Answer = Object.freeze({
  status: 503,
  headers: { 'Retry-After': '1' },
  body: '{"status":"unavailable"}',
})
