import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorResponse } from '../../rest/handler.ts'
import { RestError } from '../../rest/rest-error.ts'
import { newRequestId, requestIdOf } from './request-id.ts'
import { respond } from './respond.ts'

/** What `node:http` would answer by itself gets the envelope too, as far as Node lets one: requests that its parser refuses, `Expect`, CONNECT. */
export function answerParserErrors(server: Server): void {
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else write(socket, ...parserAnswer(error.code))
  })
  server.on('checkExpectation', (request, response) => {
    const error = new RestError(
      'invalid_request',
      `Expect must be 100-continue; got ${JSON.stringify(request.headers.expect)}`,
    )
    const id = requestIdOf(request)
    respond(request, response, id, { ...errorResponse(error, id.text), status: 417 })
  })
  server.on('connect', (_request, socket) => write(socket, 405, 'method_not_allowed', 'CONNECT is not served here'))
}

function parserAnswer(code: string | undefined): [status: number, reason: string, details: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'invalid_request', 'the headers must have at most 16 KiB together']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'invalid_request', 'the request did not arrive in time']
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return [413, 'payload_too_large', 'the chunk extensions must have at most 16 KiB']
    default:
      return [400, 'invalid_request', 'the request is not HTTP as RFC 9112 has it']
  }
}

function write(socket: Duplex, status: number, reason: string, details: string): void {
  const id = newRequestId()
  const { body = '' } = errorResponse(new RestError(reason, details), id.text)
  const head = [
    `HTTP/1.1 ${status} ${names[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id.header}`,
    ...(status === 405 ? ['Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS'] : []),
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

const names: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
}
