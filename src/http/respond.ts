import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpResponse } from '../../rest/exchange.ts'
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

/** How long the rest of an unread body may still arrive, so that the client can read the answer. */
export const lingerMs = 2_000

const readingMs = 20_000

/**
 * Sends an answer. A body that was not read to its end is drained for a moment, and the connection closed after it:
 * many clients read nothing before they have sent all, and lose the answer if the connection is closed on them.
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
  // Bytes: Node writes the head along with a string body, in its encoding, which changes header bytes beyond ASCII.
  const pieces = answer.body === undefined ? undefined : piecesOf(answer.body)
  if (pieces) {
    headers['Content-Type'] ??= 'application/json; charset=utf-8'
    headers['Content-Length'] = byteLength(pieces)
  }
  const unread = !request.complete && hasBody(request)
  if (unread) headers.Connection = 'close'
  response.writeHead(answer.status, headers)
  const sent = request.method === 'HEAD' ? [] : (pieces ?? [])
  if (!unread) {
    // Node holds the head and what is written back until the end, and sends all in one go.
    for (const piece of sent.slice(0, -1)) response.write(piece)
    response.end(sent.at(-1))
    if (response.writableLength > 0) cutSlowReader(response)
    // The answer may be referenced until the next full collection; its body, the large part of it, is dropped now,
    // unless the answer is frozen, because it is sent more than once.
    if (!Object.isFrozen(answer)) answer.body = undefined
    return
  }
  // Without a body the head waits for the end: sent alone, it would not keep its bytes either.
  for (const piece of sent) response.write(piece)
  drain(request, () => response.end())
}

/** Whether the headers announce a body: one without may not be `complete` yet when it is answered at once. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** An answer that nobody reads holds its memory: its connection is cut when it has not been read in time. */
function cutSlowReader(response: ServerResponse): void {
  const cut = setTimeout(() => response.destroy(), readingMs).unref()
  response.once('close', () => clearTimeout(cut))
}

/** Discards the rest of the body. Once it has arrived, or time is up, `done` ends the answer and the connection. */
function drain(request: IncomingMessage, done: () => void): void {
  const cut = setTimeout(done, lingerMs).unref()
  request.on('error', () => {})
  request.once('close', () => {
    clearTimeout(cut)
    done()
  })
  request.resume()
}
