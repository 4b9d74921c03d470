import type { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { FairQueue } from '../../fair-share/fair-queue.ts'
import { createRoutedPool } from '../citus/routed-pool.ts'
import type { Database } from '../tables.ts'
import type { PooledClient } from './connection.ts'
import { refuseStandby } from './hosts.ts'
import { addStream, queued } from './queued-pool.ts'
import { type ConnectionConfig, settingsOf, type Timeouts } from './session.ts'

/** How long a request waits for a statement, a lock or a connection before the database counts as unavailable. */
export const timeouts: Timeouts = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
}

const defaults = {
  application_name: 'catalogue-gateway',
  max: 10,
  connectionTimeoutMillis: 2_000,
  transactionPooling: false,
  urls: [],
  ...timeouts,
}

/** How long the server may be silent while an answer is due: a little longer than a statement may take. */
const maxSilentMs = 35_000

/** How many requests may wait for a connection before the next is refused at once. */
const maxWaiting = 1_000

/** How long a statement waits for a core. */
const maxWaitForCoreMs = 10_000

/** Opens a pool. Nothing is sent before the first query. `onError` gets the errors of idle connections. */
export function connect(connection: ConnectionConfig, onError: (error: Error) => void): Kysely<Database> {
  const {
    transactionPooling,
    directUrl,
    isDistributed,
    urls,
    maxPerTenant,
    cores = availableParallelism(),
    query_timeout = maxSilentMs,
    ...given
  } = { ...defaults, ...connection }
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, ...options } = given
  const own = { statement_timeout, lock_timeout, idle_in_transaction_session_timeout }
  const streams = new Set<Socket>()
  const setUp = async (client: pg.ClientBase) => {
    client.on('error', onError)
    closeWhenSilent(client as PooledClient, query_timeout)
    addStream(streams, client)
    if (!transactionPooling) await client.query(settingsOf('session', own))
    await refuseStandby(client, pool.options)
  }
  // A connection whose set-up fails is closed, and its request fails: its transaction has failed, too. As the pool's
  // `verify`, a set-up that outlasts its request would leave a connection that nobody releases.
  const pool = new pg.Pool({ ...options, onConnect: setUp })
  pool.on('error', onError)
  const { max: slots = 0, connectionTimeoutMillis: maxWaitMs = 0 } = pool.options
  const slotsPerTenant = maxPerTenant ?? Math.max(1, Math.floor(slots / 2))
  const limits = { slots, slotsPerTenant, maxWaiting, maxWaitMs }
  const queue = new FairQueue(limits)
  const coreQueue = new FairQueue({
    slots: Math.max(2, cores),
    slotsPerTenant: Math.max(1, cores - 1),
    maxWaiting,
    maxWaitMs: maxWaitForCoreMs,
  })
  const queues = { queue, coreQueue }
  const settings = transactionPooling ? settingsOf('local', own) : ''
  const coordinator = queued(pool, queues, urls, streams, settings)
  const routed = isDistributed ? createRoutedPool(coordinator, limits, onError) : undefined
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: routed?.pool ?? coordinator }) })
  const direct = directUrl ? { connectionString: directUrl, connectionTimeoutMillis: maxWaitMs } : pool.options
  // Behind a pooler, a lost host does not concern connections to the server itself.
  pools.set(db.getExecutor().adapter, {
    pool,
    ...queues,
    direct,
    isSession: directUrl !== undefined || !transactionPooling,
    streams: directUrl ? new Set() : streams,
    routed,
  })
  return db
}

/** Throws if the server is older than PostgreSQL 14, or the database cannot store all Unicode text. */
export async function checkServer(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`.execute(
    db,
  )
  const [server] = rows
  if (!server || server.version < 140_000) throw new Error('PostgreSQL 14 or newer is needed: set DATABASE_URL to one')
  if (server.encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8; it has ${server.encoding}`)
}

/**
 * Closes the connection after `silentMs` in which the server neither sends a due answer nor closes an ending
 * connection; 0: never. The time-out of `pg` sets a timer for each query, which makes V8 keep what was read until the
 * whole heap is collected, and leaves the connection in the pool.
 */
function closeWhenSilent(client: PooledClient, silentMs: number): void {
  const { stream } = client.connection
  // A listener given to `setTimeout` would be called only the first time.
  stream.setTimeout(silentMs).on('timeout', () => {
    if (!client.readyForQuery || client._ending) stream.destroy(new Error('Query read timeout'))
  })
}

/** The pools of databases, by the adapter that all handles and transactions of one share. */
const pools = new WeakMap<object, PoolState>()

interface PoolState {
  pool: pg.Pool
  queue: FairQueue
  coreQueue: FairQueue
  direct: pg.ClientConfig
  /** Whether such a connection keeps its session: a pooler may give that of each transaction to another client. */
  isSession: boolean
  /** The connections that are closed when the host is lost. */
  streams: Set<Socket>
  routed: ReturnType<typeof createRoutedPool> | undefined
}

/** Connects to the database outside of the pool, straight to the server where that is configured. */
export async function connectDirectly(db: Kysely<Database>): Promise<pg.Client> {
  const pool = pools.get(db.getExecutor().adapter)
  if (!pool) throw new Error('the pool of this database is not known')
  const client = new pg.Client(pool.direct)
  client.on('error', () => {}) // the current statement fails with the same error
  await client.connect()
  addStream(pool.streams, client)
  try {
    if (pool.isSession) await client.query(keptWhenIdle)
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
  return client
}

/** What uses such a connection may wait for a file or a reader. The server notices within 2 minutes that it is lost. */
const keptWhenIdle =
  'set idle_session_timeout = 0; set tcp_keepalives_idle = 60; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 6'

/** How many connections a pool has, how many of them are idle, and how many requests wait for one, and for a core. */
export function connectionStateOf(db: Kysely<Database>) {
  const { pool, queue, coreQueue } = pools.get(db.getExecutor().adapter) ?? {}
  if (!pool || !queue || !coreQueue) return undefined
  const { totalCount: total, idleCount: idle } = pool
  return { total, idle, waiting: queue.waiting, waitingForCore: coreQueue.waiting }
}

/** The servers of a distributed database that do not answer. */
export function lostServersOf(db: Kysely<Database>): string[] {
  return pools.get(db.getExecutor().adapter)?.routed?.lost() ?? []
}

/** Whether the server for a store, which need not exist yet, is not lost. */
export async function isServed(db: Kysely<Database>, storeUuid: string): Promise<boolean> {
  return (await pools.get(db.getExecutor().adapter)?.routed?.serves(storeUuid)) ?? true
}
