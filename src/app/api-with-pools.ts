import type { FilterService } from '../catalogue/asset-groups/list-groups.ts'
import type { PatternResult, PatternTask } from '../catalogue/attributes/patterns.ts'
import type { Replicas } from '../database/replicas/watch-replicas.ts'
import { createThreadPool } from '../event-loop/thread-pool.ts'
import { createApi } from './api/api.ts'
import { traced } from './api/traced.ts'
import type { ApiOptions, GatewayOptions } from './gateway-options.ts'
import { createPoolApi } from './threads/pool-api.ts'
import type { PoolThreadData } from './threads/pool-thread.ts'
import { threadProgram } from './threads/start-thread.ts'

type Hooks = Required<Pick<ApiOptions, 'onJobQueued' | 'onWritten' | 'live'>>

/** The API of this thread, which runs expensive requests in a pool of threads. */
export function createApiWithPools(options: GatewayOptions, replicas: Replicas | undefined, hooks: Hooks) {
  const { onJobQueued } = hooks
  const { connection, filterClient, hasSpareThread: hasSpare = true, log } = options
  const { introspection, persistedDocuments, jobQuotas, changesRetention, outgoingAllow } = options
  const { enumerations } = options.globalConfig
  const shared = { introspection, persistedDocuments, jobQuotas, changesRetention, outgoingAllow }
  const filterAddress = filterClient?.address
  const workerData: PoolThreadData = { ...shared, connection, filterAddress, logLevel: log.level }
  // A step is mostly one statement, which may take 30 s.
  const limits = { deadlineMs: 30_000, maxMs: 60_000 }
  const threadPool = createThreadPool({ entry: threadProgram('pool'), workerData, log, hasSpare, ...limits })
  // A pool of its own: a request that waits for it may hold locks for which requests in the other pool wait.
  const patternPool = createThreadPool({ entry: threadProgram('pattern'), log })
  const runPatterns = (tasks: readonly PatternTask[]) => patternPool.run<PatternResult[]>({ input: tasks })
  const filterService: FilterService | undefined =
    filterClient && ((...question) => traced('filter', 'filter', () => filterClient.choose(...question)))
  const api = createApi({
    ...options,
    replicas,
    enumerations,
    filterService,
    ...hooks,
    pool: createPoolApi(threadPool, enumerations, onJobQueued),
    runPatterns,
  })
  const closeThreadPools = () => Promise.all([threadPool.close(), patternPool.close()])
  return { api, runPatterns, threadState: threadPool.state, closeThreadPools }
}
