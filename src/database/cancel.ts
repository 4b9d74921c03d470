import { connect } from 'node:net'
import type { PoolClient } from 'pg'

/** What `pg` knows of a session and its types do not say. */
interface Session {
  processID?: number
  secretKey?: number
  connectionParameters?: { host?: string; port?: number }
}

const cancelRequest = 80_877_102
const patienceMs = 2_000

/**
 * Asks PostgreSQL to stop what the session is doing, on a connection of its own (PostgreSQL: Canceling Requests in Progress). Nothing is answered;
 * the statement fails with 57014 if it was still running. The session must not be used for anything else afterwards: the request may arrive late.
 */
export function cancelStatement(client: PoolClient): void {
  const { processID, secretKey, connectionParameters = {} } = client as PoolClient & Session
  const { host = 'localhost', port = 5432 } = connectionParameters
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const message = Buffer.alloc(16)
  for (const [i, word] of [16, cancelRequest, processID, secretKey].entries()) message.writeInt32BE(word | 0, i * 4)
  const socket = host.startsWith('/') ? connect({ path: `${host}/.s.PGSQL.${port}` }) : connect({ host, port })
  socket.on('error', () => {}) // then the statement ends at its own time-out
  socket.setTimeout(patienceMs, () => socket.destroy())
  socket.end(message)
  socket.resume()
}
