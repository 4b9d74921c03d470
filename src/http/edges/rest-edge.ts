import type { Caller } from '../../auth/caller.ts'
import type { OperationResult, RestRequest } from '../../request/exchange.ts'
import { type FileLimits, readFile } from '../body/read-file.ts'
import { readJsonBody } from '../body/read-json-body.ts'
import { type HttpRequest, type HttpResult, withinLimits } from './http-request.ts'

export interface RestApi {
  rest(request: RestRequest<Caller>): Promise<OperationResult>
  maxAnswerBytes: number
  /** The limits of files that are uploaded. */
  fileLimits: FileLimits
}

export async function serveRest(api: RestApi, incoming: HttpRequest): Promise<HttpResult> {
  const { request, path, search, headers, id, caller, reserve } = incoming
  const { method = 'GET' } = request
  const body = () => readJsonBody(request, reserve)
  const file = () => ({
    chunks: readFile(request, api.fileLimits),
    announced: Number(headers['content-length'] ?? 0),
  })
  const result = await api.rest({ method, path, search, caller, headers, requestId: id.text, body, file })
  return withinLimits('rest', result, incoming, api.maxAnswerBytes)
}
