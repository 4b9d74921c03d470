import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { startOnePerTick } from './start-one-per-tick.ts'

/** A connection with more unanswered requests is cut: browsers and common libraries send one at a time. */
const maxWaiting = 100

interface Waiting {
  response: ServerResponse
  start(): void
}

/** The requests of a connection that wait while an earlier one is answered. */
const queues = new WeakMap<Socket, Waiting[]>()

/**
 * Starts a request when all earlier ones of its connection are answered. The parser hands over all requests of a
 * 64 KiB read at once: 500 of them would block everybody for 100 ms. So of those that waited, on all connections, one
 * starts in an iteration of the event loop, in which Node accepts one new connection. And a connection is not read
 * while one of its requests waits: a hundred of them have up to 1.6 MB of headers, which nothing counts.
 */
export function startInOrder({ socket }: IncomingMessage, response: ServerResponse, start: () => void): void {
  const queue = queues.get(socket)
  if (!queue) {
    queues.set(socket, [])
    begin(socket, { response, start })
  } else if (queue.length < maxWaiting) {
    queue.push({ response, start })
    process.nextTick(readUnlessOneWaits, socket)
  } else socket.destroy()
}

function begin(socket: Socket, { response, start }: Waiting): void {
  response.once('close', () => {
    const next = queues.get(socket)?.shift()
    if (!next || socket.destroyed) queues.delete(socket)
    else void startOnePerTick().then(() => beginNext(socket, next))
  })
  start()
}

function beginNext(socket: Socket, next: Waiting): void {
  readUnlessOneWaits(socket)
  begin(socket, next)
}

/** Node resumes a connection whenever a request has arrived or is answered: it is to be paused after that. */
function readUnlessOneWaits(socket: Socket): void {
  if (queues.get(socket)?.length) socket.pause()
  else socket.resume()
}
