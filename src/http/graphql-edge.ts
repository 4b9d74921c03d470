import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestScope } from '../request-scope.ts'
import { mostBytes, noRoom, readBody } from './body.ts'
import type { RoomOf } from './body-memory.ts'
import { type GraphQLRequest, notJson, refusal } from './graphql-answer.ts'
import type { Page } from './page.ts'
import type { RequestId } from './request-id.ts'
import { type Answer, respond } from './respond.ts'

/** What the edge needs of the service behind it. */
export interface GraphQLDoor<Caller> {
  authenticate(authorization: string | undefined): Promise<Caller | undefined>
  /** Answers a request whose token is good. */
  answer(request: GraphQLRequest, caller: Caller, requestId: string): Promise<Answer>
  /** Bounds the memory for bodies. */
  roomOf: RoomOf
  /** GraphiQL. */
  page(): Promise<Page>
  errorOf(thrown: unknown, requestId: string): { message: string; extensions: Record<string, unknown> }
}

/** Serves /graphql: GraphiQL to a browser that navigates there, GraphQL over HTTP to everyone with a token. */
export async function serveGraphQL<Caller>(
  door: GraphQLDoor<Caller>,
  request: IncomingMessage,
  response: ServerResponse,
  search: string,
  id: RequestId,
): Promise<void> {
  const answer = isNavigation(request)
    ? pageAnswer(await door.page())
    : await answerTo(door, request, search, id, response).catch((thrown: unknown) =>
        failure(door.errorOf(thrown, id.text)),
      )
  respond(request, response, id, answer)
}

async function answerTo<Caller>(
  door: GraphQLDoor<Caller>,
  request: IncomingMessage,
  search: string,
  id: RequestId,
  response: ServerResponse,
): Promise<Answer> {
  const scope = requestScope.getStore()
  if (scope) scope.door = 'graphql'
  if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: 'GET, POST, OPTIONS' } }
  const caller = await door.authenticate(request.headers.authorization)
  if (caller === undefined) return unauthorized
  const accept = jsonTypes(request.headers.accept)
  if (accept === '') return notAcceptable
  const { method = 'GET', headers } = request
  const contentType = headers['content-type']
  if (method !== 'POST') return door.answer({ method, search, accept, contentType, body: undefined }, caller, id.text)
  if (contentType !== undefined && !/^application\/(graphql\+)?json\s*(;|$)/i.test(contentType)) return notJson
  const body = await readBody(request, door.roomOf(response))
  if (body === 'no room') return busy
  if (body === 'too large') return tooLarge
  if (body === 'cut off') return cutOff
  return door.answer({ method, search, accept, contentType, body }, caller, id.text)
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
const cutOff = refusal(400, 'invalid_request', 'the body ended before it was whole')
const busy = refusal(503, 'unavailable', noRoom, { 'Retry-After': '1' })
const tooLarge = refusal(413, 'payload_too_large', `the body must have at most ${mostBytes} bytes`)

const statuses: Record<string, number> = { unavailable: 503, rate_limited: 429 }

function failure({ message, extensions }: { message: string; extensions: Record<string, unknown> }): Answer {
  const retry: Record<string, string> = extensions.code === 'unavailable' ? { 'Retry-After': '1' } : {}
  return refusal(statuses[String(extensions.code)] ?? 500, String(extensions.code), message, retry)
}
