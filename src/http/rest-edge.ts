import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RestRequest, RestResponse } from '../../rest/handler.ts'
import { RestError } from '../../rest/rest-error.ts'
import { readBody } from './body.ts'
import type { RequestId } from './request-id.ts'
import { respond } from './respond.ts'

/** Carries a request of `node:http` to the façade and its answer back. */
export async function serveRest(
  handle: (request: RestRequest) => Promise<RestResponse>,
  request: IncomingMessage,
  response: ServerResponse,
  url: { path: string; search: string },
  id: RequestId,
): Promise<void> {
  const answer = await handle({
    method: request.method ?? 'GET',
    path: url.path,
    search: url.search,
    header: (name) => headerOf(request, name),
    requestId: id.text,
    body: async () => {
      const body = await readBody(request)
      if (body === 'cut off') throw new RestError('invalid_request', 'the body ended before it was whole')
      return body
    },
  })
  respond(request, response, id, answer)
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
