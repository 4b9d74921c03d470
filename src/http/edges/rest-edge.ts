import type { IncomingMessage } from 'node:http'
import { startOnePerTick } from '../../event-loop/start-one-per-tick.ts'
import type { Caller } from '../../request/caller.ts'
import type { OperationResult, RestRequest } from '../../request/exchange.ts'
import { unauthorized } from '../../request/http-error.ts'
import { type FileLimits, readFile } from '../body/read-file.ts'
import { readJsonBody } from '../body/read-json-body.ts'
import { type HttpRequest, type HttpResult, withinLimits } from './http-request.ts'

export interface RestApi {
  rest(request: RestRequest): Promise<OperationResult>
  maxAnswerBytes: number
  /** The limits of files that are uploaded. */
  fileLimits: FileLimits
  /** The caller of an `Authorization` header; undefined without a valid token. Counts no request. */
  findCaller(authorization: string | undefined): Promise<Caller | undefined>
}

export async function serveRest(api: RestApi, incoming: HttpRequest): Promise<HttpResult> {
  const { request, path, search, headers, id, requireCaller } = incoming
  const { method = 'GET' } = request
  const body = async () => {
    const bytes = await readJsonBody(request)
    await startOnePerTick()
    return bytes
  }
  const file = () => ({
    chunks: readAuthorized(api, request),
    announced: Number(headers['content-length'] ?? 0),
  })
  const result = await api.rest({ method, path, search, requireCaller, headers, requestId: id.text, body, file })
  return withinLimits('rest', result, request, api.maxAnswerBytes)
}

/** Reads a file. Throws `unauthorized` at its end if the token is no longer valid: a file may take hours to arrive. */
async function* readAuthorized(api: RestApi, request: IncomingMessage): AsyncGenerator<Buffer, void> {
  yield* readFile(request, api.fileLimits)
  const { authorization } = request.headers
  if (!(await api.findCaller(authorization))) throw unauthorized(authorization)
}
