import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { FilterService } from '../catalogue/asset-groups/list-groups.ts'
import type { runPatterns } from '../catalogue/attributes/patterns.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import type { ConnectionConfig } from '../database/connection/session.ts'
import type { Replicas } from '../database/replicas/watch-replicas.ts'
import type { Database } from '../database/tables.ts'
import type { MainThreadLimits } from '../event-loop/pool-rule.ts'
import type { TaskLimits } from '../event-loop/thread-pool.ts'
import type { FilterClient } from '../filter-service/client.ts'
import type { GlobalConfig } from '../global-config/global-config.ts'
import type { PersistedDocuments } from '../graphql/persisted-documents.ts'
import type { UploadTimes } from '../http/body/read-file.ts'
import type { Hub } from '../live/hub.ts'
import type { StreamLimits, Streams } from '../live/streams.ts'
import type { ClusterPeers } from '../metrics/registry.ts'
import type { Tracing } from '../tracing/trace.ts'
import type { RetryTimes } from '../webhooks/deliver/retries.ts'
import type { Config } from './config.ts'
import type { PoolApi } from './threads/pool-api.ts'

/** The configuration, and the parts that were made from it. */
export interface GatewayOptions extends Omit<Config, 'globalConfig' | 'persistedDocuments'> {
  db: Kysely<Database>
  connection: ConnectionConfig
  globalConfig: GlobalConfig
  /** Chooses the groups of a listing; undefined: the gateway filters by itself. */
  filterClient?: FilterClient | undefined
  persistedDocuments?: PersistedDocuments | undefined
  peers?: ClusterPeers | undefined
  tracing?: Tracing | undefined
  log: Logger
  maxAnswerBytes?: number
  /** The memory for bodies and unread answers of open requests; a tenant may use half of it. */
  maxHeldBytes?: number
  mainThreadLimits?: MainThreadLimits
  jobLimits?: TaskLimits
  /** Whether each task of the pool starts a spare thread; by default it does. */
  hasSpareThread?: boolean
  deliveryTimes?: RetryTimes
  uploadTimes?: Partial<UploadTimes>
  streamLimits?: Partial<StreamLimits>
}

/** The options of a gateway that its threads share. */
export type SharedOptions = Pick<
  GatewayOptions,
  'introspection' | 'persistedDocuments' | 'jobQuotas' | 'changesRetention' | 'outgoingAllow'
>

export interface ApiOptions
  extends SharedOptions,
    Pick<GatewayOptions, 'db' | 'pageCacheMb' | 'mainThreadLimits' | 'log'> {
  replicas: Replicas | undefined
  enumerations(): Enumerations
  filterService: FilterService | undefined
  onJobQueued(): void
  /** Called after each write. */
  onWritten?(): void
  /** The pool for requests that would block this thread; undefined in a thread of the pool. */
  pool: PoolApi | undefined
  /** Streams of events, which only the main thread has. */
  live?: { hub: Hub; streams: Streams } | undefined
  /** Runs patterns that would block the main thread. */
  runPatterns: typeof runPatterns
}
