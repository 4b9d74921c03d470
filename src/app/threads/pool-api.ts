import type { Enumerations } from '../../catalogue/enumerations.ts'
import type { ThreadPool } from '../../event-loop/thread-pool.ts'
import type { GraphQLRequest } from '../../graphql/prepare-request.ts'
import type { Caller } from '../../request/caller.ts'
import type { OperationResult, RestRequest } from '../../request/exchange.ts'
import { traced } from '../api/traced.ts'

export type ThreadRequest = { enumerations: Enumerations } & (
  | { api: 'rest'; request: Omit<RestRequest, 'requireCaller' | 'body' | 'file'> & { caller: Caller; body: Body } }
  | { api: 'graphql'; request: GraphQLRequest }
)

type Body = GraphQLRequest['body']

export interface ThreadAnswer {
  status: number
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>[] | undefined
  summary: OperationResult['summary']
  hasQueuedJob: boolean
}

export type PoolApi = ReturnType<typeof createPoolApi>

/** The functions of `Api`, as far as the pool answers: each request in one of its threads. */
export function createPoolApi(pool: ThreadPool, enumerations: () => Enumerations, onJobQueued: () => void) {
  const answer = async (input: ThreadRequest): Promise<OperationResult> => {
    const { body: moved } = input.request
    const task = { input, moved: moved ? [moved.buffer] : [] }
    const answered = await traced('operation', 'pool', () => pool.run<ThreadAnswer>(task))
    if (answered.hasQueuedJob) onJobQueued()
    const { summary, status, headers, body } = answered
    const pieces = body?.map(({ buffer }) => Buffer.from(buffer))
    return { summary, answer: { status, headers, ...(pieces && { body: pieces }) } }
  }
  return {
    rest: async (given: RestRequest, caller: Caller, body?: Body) => {
      const { method, path, search, headers, requestId } = given
      const request = { method, path, search, headers, requestId, caller, body: body && movable(body) }
      const { answer: response } = await answer({ api: 'rest', request, enumerations: enumerations() })
      return response
    },
    graphql: ({ body, ...given }: GraphQLRequest): Promise<OperationResult> => {
      const request = { ...given, body: body && movable(body) }
      return answer({ api: 'graphql', request, enumerations: enumerations() })
    },
  }
}

/** The bytes in a buffer of their own: short ones may share theirs, which cannot be moved. */
export function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  return isAlone ? new Uint8Array(buffer) : new Uint8Array(bytes)
}
