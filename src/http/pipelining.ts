import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { startOnePerTick } from '../event-loop/start-one-per-tick.ts'
import { requestContext } from '../request/context.ts'

/** A connection with more unanswered requests is cut: browsers and common libraries send one at a time. */
const maxWaiting = 100

/** The characters of the headers of all waiting requests. The connection of one that would exceed them is cut. */
const maxHeaderChars = 8 * 1024 * 1024

interface Waiting {
  response: ServerResponse
  headerChars: number
  start(): void
}

/** The requests of a connection that wait while an earlier one is answered. */
const queues = new WeakMap<Socket, Waiting[]>()
let headerChars = 0

/**
 * Starts a request when all earlier ones of its connection are answered. The parser hands over all requests of a
 * 64 KiB read at once: 500 of them would block everybody for 100 ms. So of those that waited, on all connections, one
 * starts in an iteration of the event loop, in which Node accepts one new connection.
 */
export function startInOrder(request: IncomingMessage, response: ServerResponse, start: () => void): void {
  const { socket } = request
  // Its client was told that the connection ends, and its queue has ended.
  if (!socket.writable) return
  const queue = queues.get(socket)
  if (!queue) {
    queues.set(socket, [])
    begin(socket, response, start)
    return
  }
  const waiting = { response, start, headerChars: charsOf(request) }
  if (queue.length === maxWaiting || headerChars + waiting.headerChars > maxHeaderChars) {
    socket.destroy()
    return
  }
  headerChars += waiting.headerChars
  queue.push(waiting)
}

function charsOf({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((sum, { length }) => sum + length, url.length)
}

function begin(socket: Socket, response: ServerResponse, start: () => void): void {
  response.once('close', () => void beginNext(socket))
  start()
}

async function beginNext(socket: Socket): Promise<void> {
  // It is nobody's share: the caller of the next request is not known yet.
  if (socket.writable && queues.get(socket)?.length) await requestContext.exit(startOnePerTick)
  const queue = queues.get(socket) ?? []
  // Its client has left, or was told that the connection ends.
  const next = socket.writable ? queue.shift() : undefined
  for (const waiting of next ? [next] : queue) headerChars -= waiting.headerChars
  if (next) begin(socket, next.response, next.start)
  else queues.delete(socket)
}
