import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long each step of stopping takes, in ms. */
export interface StopOptions {
  /** Everything goes on as before, but for `/ready`: time for those who send requests here to look elsewhere. */
  noticeMs: number
  /** No new connections; on those that there are each answer says that it is the last. */
  farewellMs: number
  /** Requests that are still under way may end; then their connections are cut. */
  patienceMs: number
  /** Resolves when nobody else takes connections at the port any more: who is said goodbye before would come back there. */
  portClosed?: (() => Promise<void>) | undefined
}

const idleCheckMs = 20

/**
 * Stops the server so that no client loses a request to it. A connection that is closed just when its client sends on it loses that request: so
 * for a moment answers say that their connection ends here, and only what stays silent all that time is closed by us. The port is closed
 * before: clients that come back at once would stand in its queue when it closes, and be reset.
 */
export async function stopServer(server: Server, options: StopOptions): Promise<void> {
  const { noticeMs, farewellMs, patienceMs, portClosed } = options
  const isUsed = (await countConnections(server)) > 0
  if (isUsed) await sleep(noticeMs)
  // The HTTP server's own `close` would close idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  await portClosed?.()
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false
  })
  // What is over before must not keep the process.
  if (isUsed) await Promise.race([closed, sleep(farewellMs, undefined, { ref: false })])
  // Answers that were begun before go out on connections that stay open: they become idle later.
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const cut = setTimeout(() => server.closeAllConnections(), patienceMs)
  server.closeIdleConnections()
  await closed
  clearInterval(idle)
  clearTimeout(cut)
  server.close(() => {}) // ends the watch over slow clients
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}
