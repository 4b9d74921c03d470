import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database } from './tables.ts'

/** What a waiting request is worth: after these a statement, a lock or a connection counts as unavailable. */
const deadlines = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 30_000,
  query_timeout: 35_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
}

/** Opens a pool. Nothing is sent before the first query. `onError` hears of idle connections that the server cut. */
export function connect(connection: pg.PoolConfig, onError: (error: Error) => void): Kysely<Database> {
  const pool = new pg.Pool({ application_name: 'catalogue-gateway', max: 10, ...deadlines, ...connection })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    client.on('error', onError)
    closeWhenItHangs(client)
  })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  pools.set(db, pool)
  return db
}

const pools = new WeakMap<Kysely<Database>, pg.Pool>()

/** How many connections a pool has, how many of them are free, and how many requests wait for one. */
export function poolStateOf(db: Kysely<Database>): { total: number; idle: number; waiting: number } | undefined {
  const pool = pools.get(db)
  return pool && { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }
}

/**
 * Closes the connection when an answer on it did not come in time. `pg` would leave it in the pool, waiting for what may never come, and all
 * that is asked on it afterwards would wait behind.
 */
function closeWhenItHangs(client: pg.PoolClient): void {
  const send = client.query.bind(client) as (...query: unknown[]) => unknown
  const watched = (...query: unknown[]) => {
    const answer = send(...query)
    if (answer instanceof Promise) {
      answer.catch((error: unknown) => {
        if (error instanceof Error && error.message === 'Query read timeout') client.end().catch(() => {})
      })
    }
    return answer
  }
  client.query = watched as typeof client.query
}
