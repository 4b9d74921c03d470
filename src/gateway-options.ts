import type { Kysely } from 'kysely'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import type { JwtOptions } from './auth/jwt.ts'
import type { Database } from './database/tables.ts'
import type { RemoteFilter } from './filter/remote-filter.ts'
import type { GlobalConfig } from './global-config/global-config.ts'
import type { Introspection } from './graphql/guard.ts'
import type { PersistedDocuments } from './graphql/persisted-documents.ts'
import type { Fellows } from './metrics/fellows.ts'
import type { Tracing } from './tracing/trace.ts'

/** What a gateway is made of. */
export interface GatewayOptions {
  db: Kysely<Database>
  /** How further connections to the database are made: for heavy requests, and to hear of tokens that are taken back. Without it there is neither. */
  connection?: ClientConfig | undefined
  globalConfig: GlobalConfig
  /** Where the listing asks which groups to show; without one the gateway filters by itself. */
  remoteFilter?: RemoteFilter | undefined
  bootstrapToken: string | undefined
  /** The OpenID provider whose tokens are accepted, if any. */
  jwt?: JwtOptions | undefined
  /** Requests a minute and token, and whether instances count them together; undefined: as many as they like. */
  rateLimit?: number | undefined
  rateLimitShared?: boolean | undefined
  /** The other processes that answer at the same port, if there are any. */
  fellows?: Fellows | undefined
  /** Whose pages may call from a browser. */
  corsOrigins?: readonly string[] | undefined
  /** Who may ask what the GraphQL schema is; all unless told otherwise. */
  introspection?: Introspection | undefined
  /** Documents that callers may name instead of sending them. */
  persistedDocuments?: PersistedDocuments | undefined
  /** Whether /metrics needs no token. */
  metricsPublic?: boolean
  /** What makes the spans of requests, if they are traced. */
  tracing?: Tracing | undefined
  host: string
  port: number
  log: Logger
  /** The most memory for rendered pages of assets, in MiB. */
  pageCacheMb?: number
  /** The most bytes of an answer to a read. */
  mostAnswerBytes?: number
  /** The most bytes of bodies of requests that have no answer yet; one token has half of it. */
  mostBodyBytes?: number
  /** Requests with more bytes in their body, GraphQL operations that cost more, and reads that turn out to work on more characters of JSON are answered by a thread of their own. */
  light?: { bytes: number; cost: number; read: number }
}
