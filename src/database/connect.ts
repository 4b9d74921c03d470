import type { Socket } from 'node:net'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { type RequestScope, requestScope } from '../request-scope.ts'
import { abandon } from './abandon.ts'
import { createBackOff } from './back-off.ts'
import type { Database } from './tables.ts'
import { createTurns, type Turns } from './turns.ts'
import { weighAnswers } from './weigh-answers.ts'

/** What a waiting request is worth: after these a statement, a lock or a connection counts as unavailable. */
const deadlines = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 30_000,
  query_timeout: 35_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
}

/** How many requests may wait for a connection before the next is refused at once. */
const mostWaiting = 1_000

/** Opens a pool. Nothing is sent before the first query. `onError` hears of idle connections that the server cut. */
export function connect(connection: pg.PoolConfig, onError: (error: Error) => void): Kysely<Database> {
  const { query_timeout: silentMs = 0, ...options } = { ...deadlines, ...connection }
  const pool = new pg.Pool({ application_name: 'catalogue-gateway', max: 10, ...options })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    client.on('error', onError)
    client.query(`${planForAnyParameters}; ${commitDurably}`).catch(onError)
    prepareStatements(client)
    traceStatements(client)
    closeWhenItHangs(client, silentMs)
    weighAnswers(client)
  })
  const { max: most = 10, connectionTimeoutMillis: waitMs = 0 } = pool.options
  const turns = createTurns({ most, mostWaiting, waitMs })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: inTurn(pool, turns) }) })
  pools.set(db.getExecutor().adapter, { pool, turns })
  return db
}

/** The pools of databases, by the adapter that all handles and transactions of one share. */
const pools = new WeakMap<object, { pool: pg.Pool; turns: Turns }>()

/** The pool behind a database. */
export function poolOf(db: Kysely<Database>): pg.Pool | undefined {
  return pools.get(db.getExecutor().adapter)?.pool
}

/** How many connections a pool has, how many of them are free, and how many requests wait for one. */
export function poolStateOf(db: Kysely<Database>): { total: number; idle: number; waiting: number } | undefined {
  const { pool, turns } = pools.get(db.getExecutor().adapter) ?? {}
  return pool && turns && { total: pool.totalCount, idle: pool.idleCount, waiting: turns.waiting() }
}

/** The pool, whose connections are taken in turns and opened, if that fails, ever more seldom, and whose statements end when the client that waits for them has gone. */
function inTurn(pool: pg.Pool, turns: Turns) {
  const backOff = createBackOff()
  const probe = async () => (await pool.connect()).release()
  const open = () => (pool.idleCount > 0 ? pool.connect() : backOff(() => pool.connect(), probe))
  const connect = async () => {
    const scope = requestScope.getStore()
    const giveBack = heldTurn(scope) ?? (await turns.take({ caller: scope?.tokenId ?? '', onGone: scope?.onGone }))
    const client = await open().catch((error: unknown) => {
      giveBack()
      throw error
    })
    const release = client.release.bind(client)
    const deaf = scope?.onGone?.(() => abandon(client))
    client.release = (error) => {
      deaf?.()
      release(error)
      giveBack()
    }
    return client
  }
  return { connect, end: () => pool.end(), options: pool.options }
}

/**
 * Does what will ask the database at once, when it is the request's turn to. What waits has begun nothing then: what is made of an answer for somebody who has
 * waited long is kept by all that waited along, until the whole heap is collected.
 */
export async function whenItsTurn<T>(db: Kysely<Database>, work: () => Promise<T>): Promise<T> {
  const scope = requestScope.getStore()
  const { turns } = pools.get(db.getExecutor().adapter) ?? {}
  if (!scope || !turns) return work()
  scope.turn = await turns.take({ caller: scope.tokenId ?? '', onGone: scope.onGone })
  try {
    return await work()
  } finally {
    heldTurn(scope)?.()
  }
}

/** The turn that the request holds, which is the caller's now. */
function heldTurn(scope: RequestScope | undefined): (() => void) | undefined {
  const held = scope?.turn
  if (scope && held) scope.turn = undefined
  return held
}

/**
 * PostgreSQL would plan a prepared statement anew each time that a plan for its parameters promises to be cheaper, and planning costs more than running.
 * The catalogue's statements go by their indexes whatever the parameters; `test/database/plans.test.ts` explains them planned like this.
 */
const planForAnyParameters = 'set plan_cache_mode = force_generic_plan'

/** What is acknowledged is durable, also where the server, the database or the user is set up to forget its last moments. */
const commitDurably = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`

/** Names of the statements that are sent as prepared ones, by their text. Values are always parameters, so there are about as many as places in the code. */
const names = new Map<string, string>()
const mostNames = 500

/**
 * Has the statements of the catalogue prepared: to plan one costs PostgreSQL more than to run it. Each connection does so when it first meets one. What
 * holds its values as literals (a cursor's declaration, `fetch`, `set`) is sent as it is.
 */
function prepareStatements(client: pg.PoolClient): void {
  const send = client.query.bind(client) as (...query: unknown[]) => unknown
  const prepared = (...query: unknown[]) => {
    const [text, values] = query
    if (query.length !== 2 || typeof text !== 'string' || !Array.isArray(values)) return send(...query)
    const name = nameOf(text)
    return name === undefined ? send(...query) : sendNamed(send, name, text, values)
  }
  client.query = prepared as typeof client.query
}

/**
 * As `pg` does it for a query's description, without copying that description, which takes it longer than all else. The callback is there when the query is made:
 * given to it later, it makes V8 keep the query, and all that it read, until the whole heap is collected.
 */
function sendNamed(send: (query: unknown) => unknown, name: string, text: string, values: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const answered = (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result))
    const query: pg.Query & { name?: string } = new QueryWithCallback(text, values, answered)
    query.name = name
    send(query)
  })
}

type Answered = (error: Error | null, result: unknown) => void

/** What `pg` has and its types do not say. */
const QueryWithCallback = pg.Query as new (text: string, values: unknown[], answered: Answered) => pg.Query

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames || !/^\s*(select|with|insert|update|delete)\b/i.test(text))
    return known
  const name = `catalogue_${names.size}`
  names.set(text, name)
  return name
}

/**
 * Closes the connection when the server has been silent for so long while it owes an answer; 0: never. `pg` itself would leave it in the pool, and has a timer for each
 * query, by which V8 keeps all that was read until the whole heap is collected.
 */
function closeWhenItHangs(client: pg.PoolClient, silentMs: number): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.setTimeout(silentMs, () => {
    if (!(client as unknown as { readyForQuery: boolean }).readyForQuery)
      stream.destroy(new Error('Query read timeout'))
  })
}

/** Lets the trace of a request hear of its statements. */
function traceStatements(client: pg.PoolClient): void {
  const send = client.query.bind(client) as (...query: unknown[]) => unknown
  const watched = (...query: unknown[]) => {
    const answer = send(...query)
    if (answer instanceof Promise) traceStatement(query[0], answer)
    return answer
  }
  client.query = watched as typeof client.query
}

/** Tells the trace of the request, if it has one, of a statement and of when its answer came. */
function traceStatement(query: unknown, answer: Promise<unknown>): void {
  const trace = requestScope.getStore()?.trace
  if (!trace) return
  const began = performance.now()
  const sql = typeof query === 'string' ? query : String((query as { text?: string }).text)
  const tell = (error?: unknown) => trace.statement({ sql, durationMs: performance.now() - began, error })
  answer.then(() => tell(), tell)
}
