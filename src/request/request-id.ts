import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { lengthOf } from '../text.ts'

/** A request's id: as text for bodies and logs, and as the header value that carries the same bytes back. */
export interface RequestId {
  text: string
  header: string
}

/** `X-Request-Id` of 1 to 256 characters, else a new UUID. Node reads it as latin1; decoded as UTF-8 where valid. */
export function requestIdOf(request: IncomingMessage): RequestId {
  const sent = request.headers['x-request-id']
  if (typeof sent !== 'string' || sent === '') return newRequestId()
  const bytes = Buffer.from(sent, 'latin1')
  const text = isUtf8(bytes) ? bytes.toString() : sent
  return lengthOf(text) <= 256 ? { text, header: sent } : newRequestId()
}

export function newRequestId(): RequestId {
  const text = randomUUID()
  return { text, header: text }
}
