import type { IncomingMessage } from 'node:http'
import { httpStatus } from '../../rest/response/status.ts'
import type { GraphQLRequest } from '../graphql/serve.ts'
import type { RequestSummary } from '../request/log.ts'
import type { RequestId } from '../request/request-id.ts'
import { maxBodyBytes, noMemory, readBody } from './body.ts'
import type { Reserve } from './body-memory.ts'
import type { Page } from './page.ts'
import type { Answer } from './respond.ts'
import type { Admission, Routed } from './routed.ts'

/** What the edge needs of the service. */
export interface GraphQLApi<Caller> {
  /** Answers a request with a valid token. */
  answer(request: GraphQLRequest, caller: Caller, requestId: string): Promise<GraphQLAnswer>
  /** GraphiQL. */
  page(): Promise<Page>
  errorOf(thrown: unknown, requestId: string): { message: string; extensions: Record<string, unknown> }
}

/** An answer, and the operation if one was run. */
export interface GraphQLAnswer {
  answer: Answer
  operation?: Pick<RequestSummary, 'operation' | 'isWrite'> | undefined
}

/** Serves /graphql: GraphiQL to a browser that navigates there, GraphQL over HTTP to everyone with a token. */
export async function serveGraphQL<Caller>(
  api: GraphQLApi<Caller>,
  request: IncomingMessage,
  search: string,
  id: RequestId,
  admission: Admission<Caller>,
  reserve: Reserve,
): Promise<Routed> {
  const door = 'graphql'
  if (isNavigation(request)) return { answer: pageAnswer(await api.page()), summary: { door } }
  try {
    const { answer, operation } = await answerTo(api, request, search, id, admission, reserve)
    return { answer, summary: { door, ...operation } }
  } catch (error) {
    return { answer: failure(api.errorOf(error, id.text)), summary: { door } }
  }
}

async function answerTo<Caller>(
  api: GraphQLApi<Caller>,
  request: IncomingMessage,
  search: string,
  id: RequestId,
  admission: Admission<Caller>,
  reserve: Reserve,
): Promise<GraphQLAnswer> {
  const { method = 'GET', headers } = request
  if (method === 'OPTIONS') return { answer: { status: 204, headers: { Allow: 'GET, POST, OPTIONS' } } }
  const caller = admission.caller()
  if (caller === undefined) return { answer: unauthorized }
  const accept = jsonTypes(headers.accept)
  if (accept === '') return { answer: notAcceptable }
  if (method !== 'POST') return api.answer({ method, search, accept, body: undefined }, caller, id.text)
  const contentType = headers['content-type']
  if (contentType !== undefined && !/^application\/(graphql\+)?json\s*(;|$)/i.test(contentType)) {
    return { answer: notJson }
  }
  const body = await readBody(request, reserve)
  if (typeof body === 'string') return { answer: unread[body] }
  if (contentType === undefined) return { answer: body.length === 0 ? noBody : notJson }
  return api.answer({ method, search, accept, body }, caller, id.text)
}

/** A browser that opens the page; what follows in its address belongs to GraphiQL. */
function isNavigation(request: IncomingMessage): boolean {
  return request.method === 'GET' && !!request.headers.accept?.includes('text/html')
}

function pageAnswer({ type, body, headers }: Page): Answer {
  return { status: 200, headers: { 'Content-Type': type, ...headers }, body }
}

/** The accepted media types that a GraphQL answer can have; any when the caller does not say. */
function jsonTypes(accept: string | undefined): string {
  if (!accept?.trim()) return '*/*'
  const types = accept.split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '')
  return types.filter((type) => /^(\*\/\*|application\/(\*|json|graphql-response\+json))$/.test(type)).join(', ')
}

/** A refusal in the form of GraphQL. */
export function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): Answer {
  return Object.freeze({ status, headers, body: JSON.stringify({ errors: [{ message, extensions: { code } }] }) })
}

const unauthorized = refusal(
  401,
  'unauthorized',
  'a valid token is required: send the header Authorization: Bearer <ACCESS_TOKEN>',
  { 'WWW-Authenticate': 'Bearer' },
)
const notAcceptable = refusal(
  406,
  'invalid_request',
  'Accept must allow application/graphql-response+json or application/json',
)
const notJson = refusal(415, 'unsupported_media_type', 'the body must be application/json')
const noBody = refusal(400, 'invalid_request', 'the body is required: a JSON object with a query')
const unread = {
  'cut off': refusal(400, 'invalid_request', 'the body ended before it was whole'),
  'no memory': refusal(503, 'unavailable', noMemory, { 'Retry-After': '1' }),
  'too large': refusal(413, 'payload_too_large', `the body must have at most ${maxBodyBytes} bytes`),
}

function failure({ message, extensions }: { message: string; extensions: Record<string, unknown> }): Answer {
  const code = String(extensions.code)
  const status = httpStatus[code] ?? 500
  return refusal(status, code, message, status === 503 ? { 'Retry-After': '1' } : {})
}
