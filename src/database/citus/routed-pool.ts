import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import type { FairQueue, FairQueueOptions } from '../../fair-share/fair-queue.ts'
import type { Connection } from '../connection/connection.ts'
import { isMovedShard, isUnavailable, isUnreachable } from '../unavailable.ts'
import { runInStore, storeOf } from './run-in-store.ts'
import { splitStatements } from './split-statements.ts'
import type { StoreServer, StoreServers } from './store-servers.ts'

/** The pool of the coordinator. A connection may need a slot of another queue, too. */
export interface CoordinatorPool extends PostgresPool {
  connect(queue?: FairQueue): Promise<Connection>
  options: pg.PoolConfig
}

/** The pool for a database of several servers, and the names of those that are lost. */
export function createRoutedPool(
  coordinator: CoordinatorPool,
  limits: FairQueueOptions,
  onLost: (error: Error) => void,
) {
  let loading: Promise<StoreServers> | undefined
  let servers: StoreServers | undefined
  // Loaded only here: it would delay the start with a database on one server.
  const load = async () => {
    const { createStoreServers } = await import('./store-servers.ts')
    servers = createStoreServers(coordinator.options, limits, onLost)
    return servers
  }
  const connect = async () => {
    loading ??= load()
    return new RoutedConnection(await loading, coordinator.connect)
  }
  const end = async () => {
    await (await loading)?.end()
    await coordinator.end()
  }
  return {
    pool: { connect, end, options: coordinator.options },
    lost: () => servers?.lost() ?? [],
    serves: async (store: string) => {
      const server = await servers?.find(store)
      return !server || servers?.serves(server) === true
    },
  }
}

/** PostgreSQL uses this code where a transaction may have been committed. */
class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
  readonly code = '08007'
}

const begins = /^\s*(begin|start transaction)\b(?!.*\bcommit\b)/is
const ends = /^\s*(commit|rollback)\s*$/i
const isCommit = /^\s*commit\b/i
const isSavepoint = /^\s*(savepoint|release|rollback to)\b/i
const answer = <R>(): PostgresQueryResult<R> => ({ command: 'SELECT', rowCount: 0, rows: [] })

/**
 * A connection to the coordinator. It is acquired when a statement names a store, and so a server: what goes to a
 * server has a share of the connections, and none while the server is lost.
 */
class RoutedConnection implements PostgresPoolClient {
  readonly #servers: StoreServers
  readonly #acquire: CoordinatorPool['connect']
  #connection: Connection | undefined
  /** What has begun the transaction, until its first statement is sent. */
  #begun: string[] = []
  #isInTransaction = false
  #server: StoreServer | undefined

  constructor(servers: StoreServers, acquire: CoordinatorPool['connect']) {
    this.#servers = servers
    this.#acquire = acquire
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(
    text: string | PostgresCursor<R>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') throw new Error('this connection does not stream')
    return this.#query<R>(text, values)
  }

  release(destroy?: boolean): void {
    this.#connection?.release(destroy)
  }

  async #query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const isEnd = ends.test(text)
    if (begins.test(text) || (this.#begun.length > 0 && (isEnd || isSavepoint.test(text)))) {
      // Citus would warn in the log of a transaction in progress if what begins it came in one message with more.
      this.#begun = isEnd ? [] : [...this.#begun, ...splitStatements(`${text};`)]
      return answer<R>()
    }
    const store = storeOf(text, values)
    // The commit, too, waits for the server that the transaction has used.
    if (store !== undefined) this.#server = await this.#servers.find(store)
    const call = store === undefined ? undefined : runInStore(store, text, values)
    const send = async () => {
      if (!call) return this.#send<R>(text, values)
      const { rows, ...result } = await this.#send<{ answer: R }>(call.text, call.values)
      return { ...result, rows: rows.map(({ answer }) => answer) }
    }
    try {
      return await send()
    } catch (error) {
      if (this.#server && isUnreachable(error)) this.#servers.probe(this.#server)
      if (isMovedShard(error) && !this.#isInTransaction) return send()
      if (isCommit.test(text) && !isUnavailable(error))
        throw new OutcomeUnknown('the outcome of a commit is unknown', { cause: error })
      throw error
    } finally {
      if (isEnd) this.#isInTransaction = false
    }
  }

  async #send<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const server = this.#server
    if (server) this.#servers.requireServing(server)
    this.#connection ??= await this.#acquire(server?.queue)
    const connection = this.#connection
    const noteEnd = server && this.#servers.note(server, (error) => connection.close(error))
    try {
      for (const begun of this.#begun.splice(0)) {
        await connection.query(begun, [])
        this.#isInTransaction = true
      }
      return await connection.query<R>(text, values)
    } finally {
      noteEnd?.()
    }
  }
}
