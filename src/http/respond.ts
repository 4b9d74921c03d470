import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { HttpResponse } from '../request/exchange.ts'
import type { RequestId } from '../request/request-id.ts'
import { byteLength, piecesOf } from './body/body-size.ts'

/** Default headers of every answer: no sniffing, no framing, no caching. */
const securityHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** How long the rest of an unread body is read, and discarded. */
export const lingerMs = 2_000

const readingMs = 20_000

/**
 * Sends an answer. The unread rest of a body is discarded for a moment before the connection is closed: many clients
 * read nothing before they have sent all, and would lose the answer.
 */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  id: RequestId,
  answer: HttpResponse,
  moreHeaders: Record<string, string> = {},
): void {
  const headers: Record<string, string | number> = {
    ...securityHeaders,
    'X-Request-Id': id.header,
    ...moreHeaders,
    ...answer.headers,
  }
  const varying = [moreHeaders.Vary, answer.headers.Vary].filter((names) => names !== undefined)
  if (varying.length > 0) headers.Vary = varying.join(', ')
  // Bytes: Node would write the head in the encoding of a string body, which changes header bytes beyond ASCII.
  const pieces = answer.body === undefined ? undefined : piecesOf(answer.body)
  if (pieces) {
    headers['Content-Type'] ??= 'application/json; charset=utf-8'
    headers['Content-Length'] = byteLength(pieces)
  }
  const unread = !request.complete && hasBody(request)
  if (unread) headers.Connection = 'close'
  response.writeHead(answer.status, headers)
  if (answer.events && request.method !== 'HEAD') {
    answer.events(response)
    return
  }
  if (answer.parts && request.method !== 'HEAD') {
    response.setTimeout(readingMs)
    // An error cuts the connection: the client sees that parts are missing.
    pipeline(Readable.from(answer.parts), response, () => {})
    return
  }
  const sent = request.method === 'HEAD' ? [] : (pieces ?? [])
  const end = (last?: Buffer) => {
    response.end(last)
    if (response.writableLength > 0) cutSlowReader(response)
  }
  if (!unread) {
    // Node buffers the head and the pieces until the end, and sends all at once.
    for (const piece of sent.slice(0, -1)) response.write(piece)
    end(sent.at(-1))
    // The answer may be referenced until the next full collection: its body is dropped now.
    answer.body = undefined
    return
  }
  // Without a body the head is sent at the end: sent alone, its bytes would change too.
  for (const piece of sent) response.write(piece)
  discardRest(request, end)
}

/** Whether the headers announce a body: a request without one may not be `complete` yet. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Cuts the connection of an answer that is not read in time: it would hold its memory. */
function cutSlowReader(response: ServerResponse): void {
  const cut = setTimeout(() => response.destroy(), readingMs).unref()
  response.once('close', () => clearTimeout(cut))
}

/** Discards the rest of the body. `done` is called when it has arrived or time is up. */
function discardRest(request: IncomingMessage, done: () => void): void {
  const cut = setTimeout(done, lingerMs).unref()
  request.on('error', () => {})
  request.once('close', () => {
    clearTimeout(cut)
    done()
  })
  request.resume()
}
