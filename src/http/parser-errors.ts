import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorResponse } from '../../rest/answers/error.ts'
import type { Reason } from '../errors.ts'
import { HttpError } from '../request/http-error.ts'
import { newRequestId, requestIdOf } from '../request/request-id.ts'
import { hasOwnTimeLimit } from './body/read-file.ts'
import { STATUS_CODES } from './node-http.ts'
import { lingerMs, respond } from './respond.ts'

/** Answers in the envelope, where Node allows it, what `node:http` answers itself: parser errors, `Expect`, CONNECT. */
export function answerParserErrors(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>()
  const failed = new WeakSet<Duplex>()
  server.on('request', (request, response) => latest.set(request.socket, response))
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    const pending = latest.get(socket)
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && pending && hasOwnTimeLimit(pending.req)) return
    const isFirst = !failed.has(socket)
    if (error.code === 'ECONNRESET' || (isFirst && !socket.writable)) socket.destroy()
    else if (isFirst) {
      // Bytes after the broken ones are ignored.
      failed.add(socket)
      afterPending(pending, () => write(socket, parserErrors[error.code ?? ''] ?? notHttp))
    }
  })
  server.on('checkExpectation', (request, response) => {
    const details = `Expect must be 100-continue; got ${JSON.stringify(request.headers.expect)}`
    const error = new HttpError('invalid_request', details)
    const id = requestIdOf(request)
    respond(request, response, id, { ...errorResponse(error, id.text), status: 417 })
  })
  server.on('connect', (_request, socket) => {
    // Node has removed its own listeners from this socket: an error without a listener would end the process.
    socket.on('error', () => socket.destroy())
    write(socket, [405, 'method_not_allowed', 'CONNECT is not served here'])
  })
}

/** Whole requests before the broken bytes are answered first; an answer that has begun is the only one. */
function afterPending(response: ServerResponse | undefined, sendError: () => void): void {
  const isPending = response && !response.writableFinished && !response.destroyed
  if (isPending && response.req.complete) response.once('finish', sendError)
  // Its request is broken, and waits until earlier ones have their answers.
  else if (isPending && !response.socket) response.once('socket', sendError)
  else if (!isPending || !response.headersSent) sendError()
}

type ParserError = [status: number, reason: Reason, details: string]

const parserErrors: Record<string, ParserError> = {
  HPE_HEADER_OVERFLOW: [431, 'invalid_request', 'the headers must have at most 16 KiB together, and be fewer than 100'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'invalid_request', 'the request did not arrive in time'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'payload_too_large', 'the chunk extensions must have at most 16 KiB'],
}
const notHttp: ParserError = [400, 'invalid_request', 'malformed HTTP request (RFC 9112)']

function write(socket: Duplex, [status, reason, details]: ParserError): void {
  const id = newRequestId()
  const { body = '' } = errorResponse(new HttpError(reason, details), id.text)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id.header}`,
    ...(status === 405 ? ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'] : []),
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const cut = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(cut)).resume()
}
