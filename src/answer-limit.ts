import { errorResponse } from '../rest/handler.ts'
import { RestError } from '../rest/rest-error.ts'
import type { Doors } from './doors.ts'
import { refusal } from './http/graphql-answer.ts'
import { requestScope } from './request-scope.ts'

/**
 * The doors with an end to what they answer to a read: pages bound the number of groups and products, not how many assets a group has. The answer to a
 * write is as long as what was asked for, and is never withheld: the work is done.
 */
export function limitAnswers(doors: Doors, mostBytes: number): Doors {
  const excess = (body: Body) => {
    // No character takes more than three bytes: what is short by far is not counted.
    if (typeof body === 'string' && body.length * 3 <= mostBytes) return undefined
    const bytes = sizeOf(body)
    if (bytes <= mostBytes || requestScope.getStore()?.isWrite) return undefined
    return `an answer may have ${mostBytes} bytes; this one has ${bytes}: ask for a smaller page, or for fewer fields`
  }
  return {
    ...doors,
    rest: async (request) => {
      const response = await doors.rest(request)
      const details = excess(response.body)
      return details ? errorResponse(new RestError('invalid_request', details), request.requestId) : response
    },
    graphql: async (request, caller, requestId) => {
      const answer = await doors.graphql(request, caller, requestId)
      const message = excess(answer.body)
      return message ? refusal(400, 'invalid_request', message) : answer
    },
  }
}

type Body = string | Buffer | readonly Buffer[] | undefined

function sizeOf(body: Body = ''): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return Buffer.isBuffer(body) ? body.length : body.reduce((sum, { length }) => sum + length, 0)
}
