import { connect } from 'node:net'
import type { ClientBase } from 'pg'

/** Properties of a client that the types of `pg` lack. */
interface ClientDetails {
  processID?: number
  secretKey?: number
  connectionParameters?: { host?: string; port?: number }
}

const cancelRequestCode = 80_877_102
const timeoutMs = 30_000

/**
 * Asks PostgreSQL to cancel the client's statement, on a connection of its own (PostgreSQL: Canceling Requests in
 * Progress). There is no answer; the statement fails with 57014 if it was still running. The client must not be used
 * for other work afterwards: the request may arrive late.
 */
export function requestCancel(client: ClientBase): void {
  const { processID, secretKey, connectionParameters = {} } = client as ClientBase & ClientDetails
  const { host = 'localhost', port = 5432 } = connectionParameters
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const message = Buffer.alloc(16)
  for (const [i, word] of [16, cancelRequestCode, processID, secretKey].entries()) message.writeInt32BE(word | 0, i * 4)
  const socket = host.startsWith('/') ? connect({ path: `${host}/.s.PGSQL.${port}` }) : connect({ host, port })
  socket.on('error', () => {}) // then the statement ends at its own time-out
  socket.setTimeout(timeoutMs, () => socket.destroy())
  // The server closes the connection: PgBouncer 1.18 crashes if the client does before the request is forwarded.
  socket.write(message)
  socket.resume()
  socket.unref()
}
