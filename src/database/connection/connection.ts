import type { Socket } from 'node:net'
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import { type RequestContext, requestContext } from '../../request/context.ts'
import type { ReadBytes } from '../../request/read-bytes.ts'
import { requestCancel } from './cancel.ts'
import { sendPrepared } from './prepared-statements.ts'
import { sentStatements } from './sent-statements.ts'
import { needsCustomPlan, sendWithSettings } from './session.ts'

/** A statement was not sent because the client has disconnected. The code is that of a cancelled statement. */
class Cancelled extends Error {
  override readonly name = 'Cancelled'
  readonly code = '57014'
}

const controlsTransaction = /^\s*(begin|commit|rollback|savepoint|release|set)\b/

/** A request to cancel that arrives between two statements is lost, so it is repeated. */
const cancelAgainMs = 500

/** A pooled client with properties that the types of `pg` lack. */
export type PooledClient = pg.PoolClient & {
  connection: { stream: Socket }
  readyForQuery: boolean
  /** It is being closed. */
  _ending: boolean
}

/**
 * A connection of the pool: statements of a request are traced, limited, and cancelled when its client disconnects.
 * There is one for each client of `pg`, because Kysely caches data by connection.
 */
export class Connection implements PostgresPoolClient {
  readonly #pooled: PooledClient
  readonly #settings: string
  #onRelease = () => {}
  #context: RequestContext | undefined
  #readBytes: ReadBytes | undefined
  #excess: Error | undefined
  #cancelling: NodeJS.Timeout | undefined

  /** `settings` begin each transaction; '' where the session has its own. */
  constructor(pooled: PooledClient, settings: string) {
    this.#pooled = pooled
    this.#settings = settings
    pooled.connection.stream.on('data', this.#limitAnswers)
  }

  /** Begins a statement or a transaction of the current request; `onRelease` is called after its end. */
  begin(onRelease: () => void): this {
    this.#onRelease = onRelease
    this.#context = requestContext.getStore()
    this.#context?.signal.addEventListener('abort', this.#cancel)
    return this
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(
    text: string | PostgresCursor<R>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof text !== 'string') throw new Error('this connection does not stream')
    const isRollback = text.startsWith('rollback')
    const isCancelled = this.#context?.signal.aborted
    if (isCancelled && !isRollback) return Promise.reject(new Cancelled('the client has disconnected'))
    // What answers a commit is not counted: it would be refused after it is done.
    this.#readBytes = controlsTransaction.test(text) ? undefined : requestContext.getStore()?.readBytes
    const refusal = this.#readBytes?.refusal()
    if (refusal) return Promise.reject(refusal)
    const answer = this.#send<R>(text, values).finally(() => {
      if (this.#excess) throw this.#excess
    })
    const reportProgress = this.#context?.reportProgress
    if (reportProgress) answer.then(reportProgress, reportProgress)
    // The server rolls a broken connection back. The error to report is the one that broke it.
    return isRollback ? answer.catch(() => ({ command: 'ROLLBACK', rowCount: 0, rows: [] })) : answer
  }

  #send<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    sentStatements.publish(text)
    const needsTransaction = this.#settings !== '' || needsCustomPlan(text)
    const answer = needsTransaction
      ? sendWithSettings<R>(this.#pooled, this.#settings, text, values)
      : sendPrepared<R>(this.#pooled, text, values)
    this.#trace(text, answer)
    return answer
  }

  /** Rolls an open transaction back. Closes the connection after a request to cancel, which may arrive late. */
  release(destroy = false): void {
    this.#context?.signal.removeEventListener('abort', this.#cancel)
    this.#context = undefined
    this.#readBytes = undefined
    this.#excess = undefined
    clearInterval(this.#cancelling)
    const end = (isBroken: boolean) => {
      this.#pooled.release(isBroken)
      this.#onRelease()
    }
    const status = this.#pooled.getTransactionStatus()
    if (destroy || this.#cancelling) end(true)
    else if (status !== 'T' && status !== 'E') end(false)
    else {
      this.#pooled.query('rollback').then(
        () => end(false),
        () => end(true),
      )
    }
  }

  /** The statement that is under way fails with the error. */
  close(error: Error): void {
    this.#pooled.connection.stream.destroy(error)
  }

  readonly #cancel = (): void => {
    if (this.#cancelling) return
    requestCancel(this.#pooled)
    this.#cancelling = setInterval(requestCancel, cancelAgainMs, this.#pooled).unref()
  }

  /**
   * Closes the connection of an answer beyond the request's limit, before it fills the memory. The bytes that go beyond
   * it may also end the answer.
   */
  readonly #limitAnswers = ({ length }: Buffer): void => {
    this.#excess ??= this.#readBytes?.add(length)
    if (this.#excess) this.#pooled.connection.stream.destroy(this.#excess)
  }

  #trace(sql: string, answer: Promise<unknown>): void {
    const trace = this.#context?.trace
    if (!trace) return
    const began = performance.now()
    const record = (error?: unknown) => trace.statement({ sql, durationMs: performance.now() - began, error })
    answer.then(() => record(), record)
  }
}
