import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RestRequest, RestResponse } from '../../rest/handler.ts'
import { RestError } from '../../rest/rest-error.ts'
import { noRoom, readBody } from './body.ts'
import type { RoomOf } from './body-memory.ts'
import type { RequestId } from './request-id.ts'
import { respond } from './respond.ts'

/** Carries a request of `node:http` to the façade and its answer back. */
export async function serveRest(
  { rest, roomOf }: { rest: (request: RestRequest) => Promise<RestResponse>; roomOf: RoomOf },
  request: IncomingMessage,
  response: ServerResponse,
  url: { path: string; search: string },
  id: RequestId,
): Promise<void> {
  const answer = await rest({
    method: request.method ?? 'GET',
    path: url.path,
    search: url.search,
    header: (name) => headerOf(request, name),
    requestId: id.text,
    body: async () => {
      const body = await readBody(request, roomOf(response))
      if (body === 'no room') throw new RestError('unavailable', noRoom)
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
