import type { RestRequest, RestResponse } from '../../rest/exchange.ts'
import type { Caller } from '../auth/caller.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import type { GraphQLRequest } from '../graphql/serve.ts'
import type { Pool } from '../heavy/pool.ts'
import type { GraphQLAnswer } from '../http/graphql-edge.ts'
import type { RequestSummary } from '../request/log.ts'
import { traced } from '../request/traced.ts'

export interface PooledRequest {
  api: 'rest' | 'graphql'
  caller: Caller
  enumerations: Enumerations
  method: string
  path: string
  search: string
  headers: Readonly<Record<string, string | undefined>>
  body: Uint8Array<ArrayBuffer> | undefined
}

export interface PooledAnswer {
  status: number
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer> | undefined
  operation: Pick<RequestSummary, 'operation' | 'isWrite'> | undefined
  hasQueuedJob: boolean
}

export type PooledApi = ReturnType<typeof createPooledApi>

/** The headers that the REST API reads once the caller is authenticated. */
const restHeaders = ['authorization', 'content-type', 'content-encoding', 'idempotency-key', 'if-none-match']

export function createPooledApi(pool: Pool, enumerations: () => Enumerations, onJobQueued: () => void) {
  const answer = async (request: Omit<PooledRequest, 'enumerations'>) => {
    // Short bytes may share their memory, which cannot be moved then.
    const isOwn = request.body?.byteLength === request.body?.buffer.byteLength
    const body = isOwn || !request.body ? request.body : new Uint8Array(request.body)
    const input: PooledRequest = { ...request, body, enumerations: enumerations() }
    const job = { input, moved: body ? [body.buffer] : [] }
    const answered = await traced('operation', 'pool', () => pool.run<PooledAnswer>(job))
    if (answered.hasQueuedJob) onJobQueued()
    const { operation, status, headers, body: bytes } = answered
    const pieces = bytes && [Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]
    return { operation, answer: { status, headers, ...(pieces && { body: pieces }) } }
  }
  return {
    rest: async (
      { method, path, search, header }: RestRequest<Caller>,
      caller: Caller,
      body: Uint8Array<ArrayBuffer>,
    ): Promise<RestResponse> => {
      const headers = Object.fromEntries(restHeaders.map((name) => [name, header(name)]))
      const { answer: response } = await answer({ api: 'rest', caller, method, path, search, headers, body })
      return response
    },
    graphql: ({ method, search, accept, body }: GraphQLRequest, caller: Caller): Promise<GraphQLAnswer> =>
      answer({ api: 'graphql', caller, method, path: '/graphql', search, headers: { accept }, body }),
  }
}
