import type { HttpResponse } from '../../request/exchange.ts'
import { HttpError } from '../../request/http-error.ts'
import { longAnswerFault } from '../../request/read-bytes.ts'
import { bytesOf } from '../../text.ts'

type Body = NonNullable<HttpResponse['body']>

/** The number of bytes that a body has. */
export function byteLength(body: Body | undefined = ''): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((sum, { length }) => sum + length, 0)
}

/** The bytes of a body. */
export function piecesOf(body: Body): readonly Buffer[] {
  return typeof body === 'string' ? [bytesOf(body)] : body
}

/** Throws `invalid_request` when the answer to a read is too long. */
export function requireLength({ body = '' }: HttpResponse, maxBytes: number): void {
  // A character has at most three bytes: short texts are not measured before they are encoded.
  if (typeof body === 'string' && body.length * 3 <= maxBytes) return
  const bytes = byteLength(body)
  if (bytes > maxBytes) throw new HttpError('invalid_request', longAnswerFault(maxBytes, bytes))
}
