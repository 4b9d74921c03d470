import type { Caller } from '../../auth/caller.ts'
import type { OperationResult, RestRequest } from '../../request/exchange.ts'
import { byteLength, requireLength } from '../body/body-size.ts'
import { readBody } from '../body/read-body.ts'
import type { HttpRequest, HttpResult } from './http-request.ts'

export interface RestApi {
  rest(request: RestRequest<Caller>): Promise<OperationResult>
  maxAnswerBytes: number
}

export async function serveRest(
  api: RestApi,
  { request, path, search, headers, id, ...incoming }: HttpRequest,
): Promise<HttpResult> {
  const { method = 'GET' } = request
  const { answer, operation } = await api.rest({
    method,
    path,
    search,
    caller: incoming.caller,
    headers,
    requestId: id.text,
    body: () => readBody(request, incoming.reserve),
  })
  if (!operation?.isWrite) requireLength(answer, api.maxAnswerBytes)
  if (method !== 'HEAD') incoming.reserve(byteLength(answer.body), operation?.isWrite)
  return { answer, summary: { api: 'rest', ...operation } }
}
