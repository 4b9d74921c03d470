import { hash } from 'node:crypto'
import { startOnePerTick } from '../../event-loop/start-one-per-tick.ts'
import type { GraphQLRequest } from '../../graphql/prepare-request.ts'
import { acceptedOf } from '../../request/accepted.ts'
import type { HttpResponse, OperationResult } from '../../request/exchange.ts'
import { graphqlError, type HttpError, notAcceptable } from '../../request/http-error.ts'
import { readJsonBody } from '../body/read-json-body.ts'
import { answerWithPage, type Page } from '../static/page.ts'
import { type HttpRequest, type HttpResult, withinLimits } from './http-request.ts'

export interface GraphQLApi {
  graphql(request: GraphQLRequest): Promise<OperationResult>
  graphiql(): Promise<Page>
  /** What was thrown as the error to answer with; one that is not expected is logged. */
  errorOf(thrown: unknown, requestId: string): HttpError
  maxAnswerBytes: number
}

/** Serves /graphql: GraphiQL to a browser that opens it, GraphQL over HTTP to callers with a token. */
export async function serveGraphQL(api: GraphQLApi, incoming: HttpRequest): Promise<HttpResult> {
  const summary = { api: 'graphql' } as const
  const { request, headers } = incoming
  // HEAD is GET whose body is not sent.
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET')
  if (method === 'GET' && headers.accept?.includes('text/html')) {
    return { answer: answerWithPage(await api.graphiql(), request), summary }
  }
  try {
    return withinLimits('graphql', await answerTo(api, incoming, method), request, api.maxAnswerBytes)
  } catch (thrown) {
    return { answer: graphqlError(api.errorOf(thrown, incoming.id.text)), summary }
  }
}

async function answerTo(api: GraphQLApi, incoming: HttpRequest, method: string): Promise<OperationResult> {
  const { request, search, headers, id } = incoming
  if (method === 'OPTIONS') return { answer: { status: 204, headers: { Allow: 'GET, HEAD, POST, OPTIONS' } } }
  const caller = incoming.requireCaller()
  const accept = jsonTypes(headers.accept)
  const acceptsEvents = method === 'POST' && acceptedOf(headers.accept ?? '').includes('text/event-stream')
  if (accept === '' && !acceptsEvents) return { answer: notAcceptable() }
  const body = method === 'POST' ? await readJsonBody(request, { mediaTypes }) : undefined
  await startOnePerTick()
  const result = await api.graphql({ caller, requestId: id.text, method, search, accept, acceptsEvents, headers, body })
  const isCacheable = result.answer.headers['Cache-Control'] !== undefined
  return isCacheable ? { ...result, answer: tagged(result.answer, headers['if-none-match']) } : result
}

const mediaTypes = ['application/json', 'application/graphql+json']

/** A cacheable answer with its tag; 304 for a client that has it. */
function tagged(answer: HttpResponse, known: string | undefined): HttpResponse {
  const tag = `W/"${hash('sha256', String(answer.body), 'hex').slice(0, 16)}"`
  const headers = { ...answer.headers, ETag: tag, Vary: 'Accept' }
  return known === tag ? { status: 304, headers } : { ...answer, headers }
}

/** The accepted media types that a GraphQL answer can have; any without `Accept`. */
function jsonTypes(accept: string | undefined): string {
  const types = acceptedOf(accept?.trim() || '*/*')
  return types.filter((type) => /^(\*\/\*|application\/(\*|json|graphql-response\+json))$/.test(type)).join(', ')
}
