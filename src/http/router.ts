import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHeaders } from '../../rest/exchange.ts'
import { errorResponse } from '../../rest/handler.ts'
import { HttpError } from '../../rest/response/http-error.ts'
import type { Admission } from '../auth/admission.ts'
import { withContext } from '../request/context.ts'
import type { RequestId } from '../request/request-id.ts'
import { createAnswerCharge, tooManyUnreadAnswers } from './answer-limit.ts'
import { type GraphQLApi, serveGraphQL } from './graphql-edge.ts'
import type { HttpRequest, HttpResult } from './http-request.ts'
import { type McpApi, serveMcp } from './mcp-edge.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { type RestApi, serveRest } from './rest-edge.ts'
import { answerWithPage, type Page } from './static/page.ts'

export interface Routes extends RestApi, GraphQLApi, McpApi {
  authenticate(authorization: string | undefined): Promise<Admission>
  /** What people and tools read without a token: path to page. */
  pages: ReadonlyMap<string, () => Page | Promise<Page>>
  /** The service's metrics. Throws when the caller may not read them. */
  metrics(admission: Admission, authorization: string | undefined): Promise<Page>
  /** The memory for bodies of requests without an answer, and for answers that are not read yet. */
  memory: { bodies: MemoryBudget; answers: MemoryBudget }
}

/** Finds what serves a request's path, and authenticates the caller where that needs a token. Throws an `HttpError`. */
export async function route(
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
  id: RequestId,
): Promise<HttpResult> {
  requireClearHeaders(request, response)
  const { path, search } = targetOf(request)
  const page = await routes.pages.get(path)?.()
  const wantsHtml = request.headers.accept?.includes('text/html')
  if (page && (!page.isForBrowsers || wantsHtml)) return { answer: answerWithPage(page, request, search) }
  const serve = serverOf(routes, path)
  if (!serve) throw new HttpError('not_found', `there is no path ${JSON.stringify(path)}`)
  const admission = await routes.authenticate(request.headers.authorization)
  const { tokenId, tokenName, headers } = admission
  const { bodies, answers } = routes.memory
  // Where the caller is asked for, the API answers in its own form.
  const caller = () => {
    if (answers.isFull(tokenId)) throw tooManyUnreadAnswers()
    return admission.caller()
  }
  const reserve = bodies.reserveFor(response, tokenId)
  const chargeAnswer = createAnswerCharge(answers, response, tokenId)
  // Node makes a list of Set-Cookie alone.
  const sent = request.headers as RequestHeaders
  // FairQueue reads the token from the context, to share connections and threads among tokens.
  const { answer, summary } = await withContext({ tokenId }, () =>
    serve({
      request,
      path,
      search,
      headers: sent,
      id,
      admission: { ...admission, caller },
      reserve,
      chargeAnswer,
    }).catch((thrown: unknown): HttpResult => ({ answer: errorResponse(routes.errorOf(thrown, id.text), id.text) })),
  )
  return { answer, headers, summary: { tokenName, ...summary } }
}

function serverOf(routes: Routes, path: string): ((incoming: HttpRequest) => Promise<HttpResult>) | undefined {
  if (path === '/v1' || path.startsWith('/v1/')) return (incoming) => serveRest(routes, incoming)
  if (path === '/graphql') return (incoming) => serveGraphQL(routes, incoming)
  if (path === '/mcp' && routes.mcp) return (incoming) => serveMcp(routes, incoming)
  if (path !== '/metrics') return undefined
  return async ({ request, admission }) => {
    const page = await routes.metrics(admission, request.headers.authorization)
    return { answer: answerWithPage(page, request) }
  }
}

/** Throws for headers that a proxy before us may have read in another way. */
function requireClearHeaders({ headers, httpVersion, rawHeaders }: IncomingMessage, response: ServerResponse): void {
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

/** Node keeps the first of several such headers and says nothing. */
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
