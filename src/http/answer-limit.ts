import type { HttpResponse } from '../request/exchange.ts'
import { HttpError } from '../request/http-error.ts'
import { byteLength } from './body/body-size.ts'

/** Throws `invalid_request` when the answer to a read is too long. */
export function requireLength({ body = '' }: HttpResponse, maxBytes: number): void {
  // A character has at most three bytes: short texts are not measured.
  if (typeof body === 'string' && body.length * 3 <= maxBytes) return
  const bytes = byteLength(body)
  if (bytes <= maxBytes) return
  const details = `an answer may have ${maxBytes} bytes; this one has ${bytes}: ask for a smaller page, or for fewer fields`
  throw new HttpError('invalid_request', details)
}
