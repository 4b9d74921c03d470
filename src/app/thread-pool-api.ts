import type { Logger } from 'pino'
import type { HttpResponse, RestRequest } from '../../rest/exchange.ts'
import type { Caller } from '../auth/caller.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import type { ConnectionConfig } from '../database/connection/session.ts'
import type { GraphQLRequest } from '../graphql/serve.ts'
import { createThreadPool, type TaskLimits, type ThreadPool } from '../heavy/thread-pool.ts'
import type { OperationAnswer } from '../http/graphql-edge.ts'
import type { JobQuotas } from '../jobs/quotas.ts'
import { concurrency } from '../jobs/runner.ts'
import type { RequestSummary } from '../request/log.ts'
import { traced } from '../request/traced.ts'
import type { JobThreadData } from './job-thread.ts'

export interface ThreadRequest {
  api: 'rest' | 'graphql'
  caller: Caller
  enumerations: Enumerations
  method: string
  path: string
  search: string
  headers: Readonly<Record<string, string | undefined>>
  body: Uint8Array<ArrayBuffer> | undefined
  document?: string | undefined
}

export interface ThreadAnswer {
  status: number
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer> | undefined
  operation: Pick<RequestSummary, 'operation' | 'isWrite'> | undefined
  hasQueuedJob: boolean
}

export type ThreadPoolApi = ReturnType<typeof createThreadPoolApi>

/** The headers that the APIs read once the caller is authenticated. */
const readHeaders =
  'accept authorization content-type content-encoding idempotency-key if-none-match prefer x-catalogue-after'.split(' ')

function namedHeaders(header: RestRequest['header']): Record<string, string | undefined> {
  return Object.fromEntries(readHeaders.map((name) => [name, header(name)]))
}

export function createThreadPoolApi(pool: ThreadPool, enumerations: () => Enumerations, onJobQueued: () => void) {
  const answer = async (request: Omit<ThreadRequest, 'enumerations'>) => {
    // Short bytes may share their memory, which cannot be moved then.
    const isOwn = request.body?.byteLength === request.body?.buffer.byteLength
    const body = isOwn || !request.body ? request.body : new Uint8Array(request.body)
    const input: ThreadRequest = { ...request, body, enumerations: enumerations() }
    const job = { input, moved: body ? [body.buffer] : [] }
    const answered = await traced('operation', 'pool', () => pool.run<ThreadAnswer>(job))
    if (answered.hasQueuedJob) onJobQueued()
    const { operation, status, headers, body: bytes } = answered
    const pieces = bytes && [Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]
    return { operation, answer: { status, headers, ...(pieces && { body: pieces }) } }
  }
  return {
    rest: async (
      { method, path, search, header }: RestRequest<Caller>,
      caller: Caller,
      body?: Uint8Array<ArrayBuffer>,
    ): Promise<HttpResponse> => {
      const headers = namedHeaders(header)
      return (await answer({ api: 'rest', caller, method, path, search, headers, body })).answer
    },
    graphql: ({ header, accept, ...request }: GraphQLRequest, caller: Caller): Promise<OperationAnswer> =>
      answer({ api: 'graphql', caller, path: '/graphql', ...request, headers: { ...namedHeaders(header), accept } }),
  }
}

/** The file that a thread runs, which ends as this one does: the published package has JavaScript. */
export function threadProgram(name: 'pool' | 'pattern' | 'job'): URL {
  return new URL(`./${name}-thread${import.meta.url.slice(-3)}`, import.meta.url)
}

interface JobThreadOptions {
  connection: ConnectionConfig
  log: Logger
  jobLimits?: TaskLimits
}

export function createJobThreads({ connection, log, jobLimits }: JobThreadOptions, quotas: JobQuotas): ThreadPool {
  const workerData: JobThreadData = { connection, quotas, logLevel: log.level }
  const threads = { threads: concurrency, threadsPerToken: concurrency, ...jobLimits }
  return createThreadPool({ entry: threadProgram('job'), workerData, log, ...threads })
}
