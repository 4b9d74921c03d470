import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestId } from './request-id.ts'

/** An answer as plain data. Without a body it is just status and headers. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body?: string
}

/** How long the rest of a body that nobody will read may still come in, so that its sender gets to see the answer. */
const lingerMs = 2_000

/** Sends an answer. A body that was not read to its end is drained for a moment, and the connection closed after it. */
export function respond(request: IncomingMessage, response: ServerResponse, id: RequestId, answer: Answer): void {
  const headers: Record<string, string | number> = { 'X-Request-Id': id.header, ...answer.headers }
  // Bytes, because Node writes the head along with a body that is a string, in its encoding: header bytes beyond ASCII would change.
  const body = answer.body === undefined ? undefined : Buffer.from(answer.body)
  if (body) {
    headers['Content-Type'] ??= 'application/json; charset=utf-8'
    headers['Content-Length'] = body.length
  }
  const unread = !request.complete && hasBody(request)
  if (unread) headers.Connection = 'close'
  response.writeHead(answer.status, headers)
  response.end(request.method === 'HEAD' ? undefined : body)
  if (unread) drain(request)
}

/** Whether the headers announce a body: one without may not be `complete` yet when it is answered at once. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function drain(request: IncomingMessage): void {
  const cut = setTimeout(() => request.socket.destroy(), lingerMs).unref()
  request.on('error', () => {})
  request.once('close', () => clearTimeout(cut))
  request.resume()
}
