import type { HttpResponse, RestRequest } from '../../rest/exchange.ts'
import type { Caller } from '../auth/caller.ts'
import { requireLength } from './answer-limit.ts'
import { readBody } from './body/read-body.ts'
import type { Incoming, Routed } from './routed.ts'

export interface RestApi {
  rest(request: RestRequest<Caller>): Promise<HttpResponse>
  operationOf(method: string, path: string): string
  maxAnswerBytes: number
}

export async function serveRest(
  api: RestApi,
  { request, path, search, headers, id, ...incoming }: Incoming,
): Promise<Routed> {
  const { method = 'GET' } = request
  const answer = await api.rest({
    method,
    path,
    search,
    caller: incoming.admission.caller,
    headers,
    requestId: id.text,
    body: () => readBody(request, incoming.reserve),
  })
  const isWrite = method !== 'GET' && method !== 'HEAD'
  if (!isWrite) requireLength(answer, api.maxAnswerBytes)
  if (method !== 'HEAD') incoming.hold(answer, isWrite)
  return { answer, summary: { api: 'rest', operation: api.operationOf(method, path), isWrite } }
}
