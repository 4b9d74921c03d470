import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import { requestContext } from '../request/context.ts'
import { FairQueue } from '../request/fair-queue.ts'
import { createBackOff } from './back-off.ts'
import { Connection, type PooledClient } from './connection.ts'
import type { Database } from './tables.ts'

/** How long a request waits for a statement, a lock or a connection before the database counts as unavailable. */
const timeouts = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 30_000,
  query_timeout: 35_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
}

/** How many requests may wait for a connection before the next is refused at once. */
const maxWaiting = 1_000

/** Opens a pool. Nothing is sent before the first query. `onError` gets the errors of idle connections. */
export function connect(connection: pg.PoolConfig, onError: (error: Error) => void): Kysely<Database> {
  // `pg` would set a timer for each query, which makes V8 keep all that was read until the whole heap is collected, and
  // leave the connection in the pool.
  const { query_timeout: silentMs = 0, ...options } = { ...timeouts, ...connection }
  const pool = new pg.Pool({ application_name: 'catalogue-gateway', max: 10, ...options })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    client.on('error', onError)
    client.query(`${planOnce}; ${safeSettings}`).catch(onError)
    closeWhenSilent(client as PooledClient, silentMs)
  })
  const { max: slots = 10, connectionTimeoutMillis: maxWaitMs = 0 } = pool.options
  const queue = new FairQueue({ slots, maxWaiting, maxWaitMs })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: queued(pool, queue) }) })
  pools.set(db.getExecutor().adapter, { pool, queue })
  return db
}

/** Throws if the server does not suit: the service stores any Unicode text and uses features of PostgreSQL 14. */
export async function checkServer(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`.execute(
    db,
  )
  const [server] = rows
  if (!server || server.version < 140_000) throw new Error('PostgreSQL 14 or newer is needed: set DATABASE_URL to one')
  if (server.encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8; it has ${server.encoding}`)
}

/** Plans for parameters cost more to make than to run: the statements use their indexes whatever the parameters. */
const planOnce = 'set plan_cache_mode = force_generic_plan'

/** For every session, whatever the server's settings: durable commits and the standard's quotation of literals. */
export const safeSettings = `set standard_conforming_strings = on;
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`

/** Closes the connection when the server has been silent for so long while an answer is due; 0: never. */
function closeWhenSilent(client: PooledClient, silentMs: number): void {
  const { stream } = client.connection
  stream.setTimeout(silentMs, () => {
    if (!client.readyForQuery) stream.destroy(new Error('Query read timeout'))
  })
}

/** Makes the pool acquire a slot of the queue first; connections are opened with backoff while that fails. */
function queued(pool: pg.Pool, queue: FairQueue): PostgresPool {
  const withBackOff = createBackOff(async () => (await pool.connect()).release())
  const open = () => (pool.idleCount > 0 ? pool.connect() : withBackOff(() => pool.connect()))
  const connections = new WeakMap<pg.PoolClient, Connection>()
  const connect = async () => {
    const releaseSlot = await queue.acquire(requestContext.getStore())
    try {
      const client = await open()
      const connection = connections.get(client) ?? new Connection(client as PooledClient)
      connections.set(client, connection)
      return connection.begin(releaseSlot)
    } catch (error) {
      releaseSlot()
      throw error
    }
  }
  return { connect, end: () => pool.end(), options: pool.options }
}

/** The pools of databases, by the adapter that all handles and transactions of one share. */
const pools = new WeakMap<object, { pool: pg.Pool; queue: FairQueue }>()

export function connectionPoolOf(db: Kysely<Database>): pg.Pool | undefined {
  return pools.get(db.getExecutor().adapter)?.pool
}

/** How many connections a pool has, how many of them are idle, and how many requests wait for one. */
export function connectionStateOf(db: Kysely<Database>): { total: number; idle: number; waiting: number } | undefined {
  const { pool, queue } = pools.get(db.getExecutor().adapter) ?? {}
  return pool && queue && { total: pool.totalCount, idle: pool.idleCount, waiting: queue.waiting }
}
