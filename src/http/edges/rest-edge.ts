import type { Caller } from '../../auth/caller.ts'
import type { OperationResult, RestRequest } from '../../request/exchange.ts'
import { readJsonBody } from '../body/read-json-body.ts'
import { type HttpRequest, type HttpResult, withinLimits } from './http-request.ts'

export interface RestApi {
  rest(request: RestRequest<Caller>): Promise<OperationResult>
  maxAnswerBytes: number
}

export async function serveRest(api: RestApi, incoming: HttpRequest): Promise<HttpResult> {
  const { request, path, search, headers, id, caller, reserve } = incoming
  const { method = 'GET' } = request
  const body = () => readJsonBody(request, reserve)
  const result = await api.rest({ method, path, search, caller, headers, requestId: id.text, body })
  return withinLimits('rest', result, incoming, api.maxAnswerBytes)
}
