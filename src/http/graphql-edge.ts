import type { IncomingMessage, ServerResponse } from 'node:http'
import { heavyJson, isHeavyJson } from '../../rest/heavy-json.ts'
import { requestScope } from '../request-scope.ts'
import { mostBytes, readBody } from './body.ts'
import type { Page } from './page.ts'
import type { RequestId } from './request-id.ts'
import { type Answer, respond } from './respond.ts'

/** What the edge needs of the service behind it: GraphQL over HTTP by WHATWG requests, for a caller whose token is good. */
export interface GraphQLServices<Caller> {
  authenticate(authorization: string | undefined): Promise<Caller | undefined>
  /** Answers a POST if that can be done at once; undefined leaves it to `fetch`. */
  shortcut(
    request: { body: Uint8Array; accept: string },
    caller: Caller,
    requestId: string,
  ): Promise<{ contentType: string; body: string } | undefined>
  fetch(url: string, init: RequestInit, caller: Caller, requestId: string): Promise<Response>
  /** GraphiQL. */
  page(): Promise<Page>
  errorOf(thrown: unknown, requestId: string): { message: string; extensions: Record<string, unknown> }
}

/** Serves /graphql: GraphiQL to a browser that navigates there, GraphQL over HTTP to everyone with a token. */
export async function serveGraphQL<Caller>(
  services: GraphQLServices<Caller>,
  request: IncomingMessage,
  response: ServerResponse,
  search: string,
  id: RequestId,
): Promise<void> {
  const answer = isNavigation(request)
    ? pageAnswer(await services.page())
    : await answerTo(services, request, search, id).catch((thrown: unknown) =>
        failure(services.errorOf(thrown, id.text)),
      )
  respond(request, response, id, answer)
}

async function answerTo<Caller>(
  services: GraphQLServices<Caller>,
  request: IncomingMessage,
  search: string,
  id: RequestId,
): Promise<Answer> {
  const scope = requestScope.getStore()
  if (scope) scope.door = 'graphql'
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: 'GET, POST, OPTIONS' } }
  const caller = await services.authenticate(request.headers.authorization)
  if (caller === undefined) return unauthorized
  const accept = jsonTypes(request.headers.accept)
  if (accept === '') return notAcceptable
  const init: RequestInit = { method: request.method ?? 'GET', headers: { accept, ...typeOf(request) } }
  if (request.method === 'POST') {
    const type = request.headers['content-type']
    if (type !== undefined && !/^application\/(graphql\+)?json\s*(;|$)/i.test(type)) return notJson
    const body = await readBody(request)
    if (body === 'too large') return tooLarge
    if (body === 'cut off') return cutOff
    if (isHeavyJson(body)) return tooHeavy
    if (type === undefined) return body.length === 0 ? noBody : notJson
    const quick = search === '' ? await services.shortcut({ body, accept }, caller, id.text) : undefined
    if (quick) return { status: 200, headers: { 'Content-Type': quick.contentType }, body: quick.body }
    init.body = new Uint8Array(body)
  }
  const answered = await services.fetch(`http://gateway/graphql?${search}`, init, caller, id.text)
  return { status: answered.status, headers: kept(answered.headers), body: await answered.text() }
}

/** Of the headers of a GraphQL answer those that say something here; its length is counted anew. */
function kept(headers: Headers): Record<string, string> {
  const allow = headers.get('allow')
  return {
    'Content-Type': headers.get('content-type') ?? 'application/json; charset=utf-8',
    ...(allow && { Allow: allow }),
  }
}

/** A browser that opens the page; what follows in its address is GraphiQL's own. */
function isNavigation(request: IncomingMessage): boolean {
  return request.method === 'GET' && !!request.headers.accept?.includes('text/html')
}

function pageAnswer({ type, body, headers }: Page): Answer {
  return { status: 200, headers: { 'Content-Type': type, ...headers }, body }
}

/** Of the media types that the caller accepts those that a GraphQL answer can have; any when the caller does not say. */
function jsonTypes(accept: string | undefined): string {
  if (!accept?.trim()) return '*/*'
  const types = accept.split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '')
  return types.filter((type) => /^(\*\/\*|application\/(\*|json|graphql-response\+json))$/.test(type)).join(', ')
}

function typeOf(request: IncomingMessage): Record<string, string> {
  const type = request.headers['content-type']
  return type ? { 'content-type': type } : {}
}

function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: JSON.stringify({ errors: [{ message, extensions: { code } }] }) }
}

const unauthorized = refusal(
  401,
  'unauthorized',
  'a valid token is required: send the header Authorization: Bearer <ACCESS_TOKEN>',
  {
    'WWW-Authenticate': 'Bearer',
  },
)
const notAcceptable = refusal(
  406,
  'invalid_request',
  'Accept must allow application/graphql-response+json or application/json',
)
const noBody = refusal(400, 'invalid_request', 'the body is required: a JSON object with a query')
const cutOff = refusal(400, 'invalid_request', 'the body ended before it was whole')
const notJson = refusal(415, 'unsupported_media_type', 'the body must be application/json')
const tooLarge = refusal(413, 'payload_too_large', `the body must have at most ${mostBytes} bytes`)

const tooHeavy = refusal(413, 'payload_too_large', `the body ${heavyJson}`)

const statuses: Record<string, number> = { unavailable: 503, rate_limited: 429 }

function failure({ message, extensions }: { message: string; extensions: Record<string, unknown> }): Answer {
  const retry: Record<string, string> = extensions.code === 'unavailable' ? { 'Retry-After': '1' } : {}
  return refusal(statuses[String(extensions.code)] ?? 500, String(extensions.code), message, retry)
}
