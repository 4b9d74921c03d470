import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A connection with more unanswered requests is cut: browsers and common libraries send one at a time. */
const maxWaiting = 100

interface Waiting {
  response: ServerResponse
  start(): void
}

/** The requests of a connection that wait while an earlier one is answered. */
const queues = new WeakMap<Socket, Waiting[]>()

/**
 * Starts a request when all earlier ones of its connection are answered, one in an iteration of the event loop. The
 * parser hands over all requests of a 64 KiB read at once: 500 of them would block everybody for 100 ms.
 */
export function inTurn({ socket }: IncomingMessage, response: ServerResponse, start: () => void): void {
  const queue = queues.get(socket)
  if (!queue) {
    queues.set(socket, [])
    begin(socket, { response, start })
  } else if (queue.length < maxWaiting) queue.push({ response, start })
  else socket.destroy()
}

function begin(socket: Socket, { response, start }: Waiting): void {
  response.once('close', () => {
    const next = queues.get(socket)?.shift()
    if (!next || socket.destroyed) queues.delete(socket)
    else setImmediate(begin, socket, next)
  })
  start()
}
