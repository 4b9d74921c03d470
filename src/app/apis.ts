import type { Kysely } from 'kysely'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import type { Filter } from '../catalogue/asset-groups/filtered-groups.ts'
import type { Database } from '../database/tables.ts'
import type { RemoteFilter } from '../filter/remote-filter.ts'
import type { GlobalConfig } from '../global-config/global-config.ts'
import type { PersistedDocuments } from '../graphql/persisted-documents.ts'
import type { Introspection } from '../graphql/prepare.ts'
import { createPool } from '../heavy/pool.ts'
import { type RouteLimits, routeLimits as usualRouteLimits } from '../heavy/route.ts'
import { traced } from '../request/traced.ts'
import { limitAnswers } from './answer-limit.ts'
import { createApi } from './api.ts'
import type { PoolWorkerData } from './pool-worker.ts'
import { createPooledApi } from './pooled-api.ts'

export interface ApisOptions {
  db: Kysely<Database>
  /** How the threads of the pool and the job queue connect to the database. */
  connection: ClientConfig
  globalConfig: GlobalConfig
  /** What decides which groups a listing shows; without one the gateway filters by itself. */
  remoteFilter?: RemoteFilter | undefined
  /** Who may ask for the GraphQL schema. */
  introspection?: Introspection | undefined
  /** Documents that callers may name instead of sending them. */
  persistedDocuments?: PersistedDocuments | undefined
  log: Logger
  /** The memory for rendered pages of assets, in MiB. */
  pageCacheMb?: number
  /** The longest answer to a read. */
  maxAnswerBytes?: number
  /** What is answered by the pool. */
  routeLimits?: RouteLimits
}

/** The APIs of this thread, which hand what is heavy to a pool of threads. */
export function createApis(options: ApisOptions, onJobQueued: () => void) {
  const { db, connection, globalConfig, remoteFilter, introspection = 'all', persistedDocuments, log } = options
  const { maxAnswerBytes = 64 * 1024 * 1024, pageCacheMb = 32, routeLimits = usualRouteLimits } = options
  const { enumerations } = globalConfig
  const workerData: PoolWorkerData = {
    connection,
    filter: remoteFilter?.address,
    introspection,
    persistedDocuments,
    maxAnswerBytes,
    logLevel: log.level,
  }
  const entry = new URL('./pool-worker.ts', import.meta.url)
  const pool = createPool({ entry, workerData, log })
  const filter: Filter | undefined =
    remoteFilter && ((...question) => traced('filter', 'filter', () => remoteFilter.filter(...question)))
  const api = createApi({
    db,
    enumerations,
    filter,
    onJobQueued,
    introspection,
    persistedDocuments,
    pageCacheMb,
    pool: createPooledApi(pool, enumerations, onJobQueued),
    routeLimits,
    log,
  })
  return { api: limitAnswers(api, maxAnswerBytes), closePool: pool.close }
}
