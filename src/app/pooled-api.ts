import type { RestRequest, RestResponse } from '../../rest/exchange.ts'
import type { Caller } from '../auth/caller.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import type { GraphQLRequest } from '../graphql/serve.ts'
import type { Pool } from '../heavy/pool.ts'
import type { GraphQLAnswer } from '../http/graphql-edge.ts'
import type { RequestSummary } from '../request/log.ts'
import { traced } from '../request/traced.ts'

/** A request of an authenticated caller, as plain data. */
export interface PooledRequest {
  api: 'rest' | 'graphql'
  caller: Caller
  enumerations: Enumerations
  method: string
  path: string
  search: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array<ArrayBuffer> | undefined
}

export interface PooledAnswer {
  status: number
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer> | undefined
  operation: Pick<RequestSummary, 'operation' | 'isWrite'> | undefined
  hasQueuedJob: boolean
}

/** The APIs, answered by threads of the pool. */
export interface PooledApi {
  rest(request: RestRequest<Caller>, caller: Caller, body: Uint8Array<ArrayBuffer>): Promise<RestResponse>
  graphql(request: GraphQLRequest, caller: Caller): Promise<GraphQLAnswer>
}

/** The headers that the REST API reads once the caller is authenticated. */
const restHeaders = ['authorization', 'content-type', 'content-encoding', 'idempotency-key', 'if-none-match']

export function createPooledApi(pool: Pool, enumerations: () => Enumerations, onJobQueued: () => void): PooledApi {
  const answer = async (request: Omit<PooledRequest, 'enumerations' | 'body'>, given?: Uint8Array<ArrayBuffer>) => {
    const body = given && ownMemory(given)
    const input: PooledRequest = { ...request, body, enumerations: enumerations() }
    const moved = body ? [body.buffer] : []
    const run = () => pool.run<PooledAnswer>({ kind: 'request', input, moved })
    const { hasQueuedJob, operation, status, headers, body: bytes } = await traced('operation', 'pool', run)
    if (hasQueuedJob) onJobQueued()
    return { operation, answer: bytes ? { status, headers, body: [bufferOf(bytes)] } : { status, headers } }
  }
  return {
    rest: async ({ method, path, search, header }, caller, body) => {
      const headers = restHeaders.flatMap((name) => {
        const value = header(name)
        return value === undefined ? [] : [[name, value] as const]
      })
      const request = { api: 'rest', caller, method, path, search, headers: Object.fromEntries(headers) } as const
      return (await answer(request, body)).answer
    },
    graphql: ({ method, search, accept, body }, caller) =>
      answer({ api: 'graphql', caller, method, path: '/graphql', search, headers: { accept } }, body),
  }
}

/** The bytes in memory that can be moved: short ones may share theirs. */
function ownMemory(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
