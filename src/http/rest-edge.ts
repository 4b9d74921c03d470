import type { IncomingMessage } from 'node:http'
import type { RestRequest, RestResponse } from '../../rest/exchange.ts'
import { RestError } from '../../rest/response/rest-error.ts'
import type { RequestId } from '../request/request-id.ts'
import { noMemory, readBody } from './body.ts'
import type { Reserve } from './body-memory.ts'
import type { Admission, Routed } from './routed.ts'

export interface RestApi<Caller> {
  answer(request: RestRequest<Caller>): Promise<RestResponse>
  /** The operation at a method and path; `none` where there is none. */
  operationOf(method: string, path: string): string
}

/** Carries a request of `node:http` to the REST API and its answer back. */
export async function serveRest<Caller>(
  api: RestApi<Caller>,
  request: IncomingMessage,
  { path, search }: { path: string; search: string },
  id: RequestId,
  { caller }: Admission<Caller>,
  reserve: Reserve,
): Promise<Routed> {
  const { method = 'GET' } = request
  const answer = await api.answer({
    method,
    path,
    search,
    caller,
    header: (name) => headerOf(request, name),
    requestId: id.text,
    body: async () => {
      const body = await readBody(request, reserve)
      if (body === 'no memory') throw new RestError('unavailable', noMemory)
      if (body === 'cut off') throw new RestError('invalid_request', 'the body ended before it was whole')
      return body
    },
  })
  const isWrite = method !== 'GET' && method !== 'HEAD'
  return { answer, summary: { door: 'rest', operation: api.operationOf(method, path), isWrite } }
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
