import { errorResponse } from '../../rest/handler.ts'
import { RestError } from '../../rest/response/rest-error.ts'
import { refusal } from '../http/graphql-edge.ts'
import type { Api } from './api.ts'

/**
 * The APIs with a limit to the answers of reads: pages bound the number of groups and products, not how long they are. The answer to a
 * write is as long as the request, and always sent: the work is done.
 */
export function limitAnswers({ rest, graphql, errorOf }: Api, maxBytes: number): Api {
  const excess = (body: Body) => {
    // No character takes more than three bytes: what is short by far is not counted.
    if (typeof body === 'string' && body.length * 3 <= maxBytes) return undefined
    const bytes = sizeOf(body)
    if (bytes <= maxBytes) return undefined
    return `an answer may have ${maxBytes} bytes; this one has ${bytes}: ask for a smaller page, or for fewer fields`
  }
  return {
    errorOf,
    rest: async (request) => {
      const response = await rest(request)
      const details = request.method === 'GET' || request.method === 'HEAD' ? excess(response.body) : undefined
      return details ? errorResponse(new RestError('invalid_request', details), request.requestId) : response
    },
    graphql: async (request, caller, requestId) => {
      const { answer, operation } = await graphql(request, caller, requestId)
      const message = operation?.isWrite ? undefined : excess(answer.body)
      return { answer: message ? refusal(400, 'invalid_request', message) : answer, operation }
    },
  }
}

type Body = string | Buffer | readonly Buffer[] | undefined

function sizeOf(body: Body = ''): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return Buffer.isBuffer(body) ? body.length : body.reduce((sum, { length }) => sum + length, 0)
}
