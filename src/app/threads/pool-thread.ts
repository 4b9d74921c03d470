import { isDeepStrictEqual } from 'node:util'
import { workerData } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { FilterService } from '../../catalogue/asset-groups/list-groups.ts'
import { runPatterns } from '../../catalogue/attributes/patterns.ts'
import { fallbackEnumerations } from '../../catalogue/enumerations.ts'
import { maxConnections } from '../../database/connection/max-connections.ts'
import { runTask, type Task, type TaskResult } from '../../event-loop/run-task.ts'
import type { FilterAddress } from '../../filter-service/client.ts'
import { piecesOf } from '../../http/body/body-size.ts'
import { lazy } from '../../lazy.ts'
import { requestContext } from '../../request/context.ts'
import type { OperationResult } from '../../request/exchange.ts'
import { graphqlError } from '../../request/http-error.ts'
import { type Api, createApi } from '../api/api.ts'
import type { SharedOptions } from '../gateway-options.ts'
import { movable, type ThreadAnswer, type ThreadRequest } from './pool-api.ts'
import { startThread, type ThreadConfig } from './start-thread.ts'

export interface PoolThreadData extends ThreadConfig, SharedOptions {
  /** The filtering service, which each thread calls with a circuit breaker of its own. */
  filterAddress: FilterAddress | undefined
}

export function run(task: Task<ThreadRequest> | undefined): Promise<unknown> {
  return runTask(task, answerRequest())
}

const answerRequest = lazy(() => createAnswer(workerData as PoolThreadData))

/** Makes the function that answers requests in this thread, one after the other. */
function createAnswer({ connection, filterAddress, logLevel, ...options }: PoolThreadData) {
  // A thread runs one task at a time, whose statements share these connections. Jobs have a lower priority.
  const { poolThread: max } = maxConnections
  const { db, log } = startThread({ connection, logLevel }, { priority: 5, max, maxPerTenant: max, cores: 1 })
  let enumerations = fallbackEnumerations
  let hasQueuedJob = false
  const api = createApi({
    ...options,
    db,
    enumerations: () => enumerations,
    filterService: filterAddress && filterServiceAt(filterAddress, log),
    onJobQueued: () => {
      hasQueuedJob = true
    },
    pageCacheMb: 0,
    pool: undefined,
    // Threads read from the primary.
    replicas: undefined,
    runPatterns: (tasks) => runPatterns(tasks, requestContext.getStore()?.reportProgress),
    log,
  })
  return async (input: ThreadRequest): Promise<TaskResult<ThreadAnswer>> => {
    // Shapes that are made from the enumerations are cached by the object.
    if (!isDeepStrictEqual(enumerations, input.enumerations)) enumerations = input.enumerations
    hasQueuedJob = false
    const { answer, summary } = await answerBy(api, input)
    const { status, headers } = answer
    const body = answer.body === undefined ? undefined : piecesOf(answer.body).map(movable)
    const moved = body?.map(({ buffer }) => buffer) ?? []
    return { output: { status, headers, body, summary, hasQueuedJob }, moved }
  }
}

/** Loads the client with the first question: its packages would take a sixth of each start of a thread. */
function filterServiceAt(address: FilterAddress, log: Logger): FilterService {
  const client = lazy(async () => {
    const { createFilterClient } = await import('../../filter-service/client.ts')
    return createFilterClient({ ...address, log })
  })
  return async (...question) => (await client()).choose(...question)
}

/** Answers errors too: one that is thrown here has failed the pool, and its class would be lost on the way. */
async function answerBy(api: Api, input: ThreadRequest): Promise<OperationResult> {
  if (input.api === 'graphql') {
    const { request } = input
    return api.graphql(request).catch((thrown) => ({ answer: graphqlError(api.errorOf(thrown, request.requestId)) }))
  }
  const { caller, body = new Uint8Array(), ...request } = input.request
  const file = (): never => {
    throw new Error('files are received on the main thread')
  }
  return api.rest({ ...request, requireCaller: () => caller, body: async () => body, file })
}
