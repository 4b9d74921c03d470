import type pg from 'pg'
import { cancelStatement } from './cancel.ts'

/** Why a statement was not sent. PostgreSQL says the same with this code when it has cancelled one. */
class Abandoned extends Error {
  override readonly name = 'Abandoned'
  readonly code = '57014'
}

/** A request to cancel that arrives between two statements is lost, so it is made again. */
const againAfterMs = 500

/**
 * Stops what is done for nobody. The connection is closed when it is given back, and takes nothing but the end of its transaction until then: a statement
 * that follows the cancelled one would wait for its locks as long.
 */
export function abandon(client: pg.PoolClient): void {
  const release = client.release.bind(client)
  const send = client.query.bind(client) as (...query: unknown[]) => unknown
  const onlyRollback = (...query: unknown[]) =>
    query[0] === 'rollback' ? send(...query) : Promise.reject(new Abandoned('the client has gone'))
  client.query = onlyRollback as typeof client.query
  cancelStatement(client)
  const again = setInterval(cancelStatement, againAfterMs, client).unref()
  client.release = () => {
    clearInterval(again)
    release(true)
  }
}
