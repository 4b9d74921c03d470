import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface StopOptions {
  /** `/ready` fails and all else works: load balancers stop sending requests. */
  readinessDelayMs: number
  /** New connections are refused, and each answer closes its connection. */
  drainMs: number
  /** Then connections with running requests are cut. */
  forceCloseMs: number
  /** Resolves when no other process accepts at the port: clients reconnect to one that does. */
  portClosed?: (() => Promise<void>) | undefined
}

const idleCheckMs = 20

/**
 * Stops the server without losing a request. A request that is sent while its connection is being closed is lost: for
 * `drainMs` each answer has `Connection: close`, and afterwards only idle connections are closed. The port is closed
 * first, because connections in its backlog would be reset.
 */
export async function stopServer(server: Server, options: StopOptions): Promise<void> {
  const { readinessDelayMs, drainMs, forceCloseMs, portClosed } = options
  const isUsed = (await countConnections(server)) > 0
  if (isUsed) await sleep(readinessDelayMs)
  // The HTTP server's own `close` would close idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  await portClosed?.()
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false
  })
  if (isUsed) await Promise.race([closed, sleep(drainMs, undefined, { ref: false })])
  // Connections whose answers have begun before become idle later.
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const cut = setTimeout(() => server.closeAllConnections(), forceCloseMs)
  server.closeIdleConnections()
  await closed
  clearInterval(idle)
  clearTimeout(cut)
  server.close(() => {}) // stops the check for slow clients
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}
