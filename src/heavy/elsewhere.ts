import { mostMembersOf } from '../../rest/heavy-json.ts'
import type { Enumerations } from '../catalog/enumerations.ts'
import type { Elsewhere } from '../doors.ts'
import { requestScope } from '../request-scope.ts'
import { operationName, traced } from '../tracing/traced.ts'
import type { HeavyThread } from './heavy-thread.ts'
import type { HeavyRequest } from './messages.ts'

/** The headers that the façade reads. */
const carried = ['authorization', 'content-type', 'content-encoding', 'idempotency-key', 'if-none-match']

/** The doors' way to the thread of heavy requests: those that are not light. */
export function createElsewhere(
  thread: HeavyThread,
  enumerations: () => Enumerations,
  light: { bytes: number; cost: number; read: number },
): Elsewhere {
  const answer = async (request: Omit<HeavyRequest, 'enumerations'>) => {
    const body = request.body && ownMemory(request.body)
    const answered = await thread.answer({ ...request, body, enumerations: enumerations() })
    const { status, headers, operation, isWrite = false } = answered
    const scope = requestScope.getStore()
    if (scope && operation !== undefined) Object.assign(scope, { operation, isWrite })
    return answered.body ? { status, headers, body: [bufferOf(answered.body)] } : { status, headers }
  }
  const tracedAnswer: typeof answer = (request) => traced('operation', 'graphql', () => answer(request), operationName)
  return {
    mostCost: light.cost,
    mostRead: light.read,
    isHeavy: (body) => body !== undefined && body.length > light.bytes && !isLightForItsLength(body, light.bytes),
    rest: ({ method, path, search, header }, caller, body) => {
      const headers = carried.flatMap((name) => {
        const value = header(name)
        return value === undefined ? [] : [[name, value] as const]
      })
      return tracedAnswer({ door: 'rest', caller, method, path, search, body, headers: Object.fromEntries(headers) })
    },
    graphql: ({ method, search, accept, contentType, body }, caller) => {
      const headers = { accept, ...(contentType !== undefined && { 'content-type': contentType }) }
      return tracedAnswer({ door: 'graphql', caller, method, path: '/graphql', search, body, headers })
    },
  }
}

const fewMembers = 5_000

/**
 * Whether a body of up to twice the bytes has no more in it than a thousand items. The members of its lists and objects cost more than their bytes do, and the way to the
 * thread and back costs as much as to work on a thousand.
 */
function isLightForItsLength(body: Uint8Array, bytes: number): boolean {
  return body.length <= 2 * bytes && mostMembersOf(body) <= fewMembers
}

/** The bytes in memory that can be given away: short ones may lie in a pool. */
function ownMemory(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
