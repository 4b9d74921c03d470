import type { ServerResponse } from 'node:http'
import type { HttpResponse } from '../../rest/exchange.ts'
import { HttpError } from '../../rest/response/http-error.ts'
import type { HeldMemory } from './held-memory.ts'

/** Throws `invalid_request` when the answer to a read is too long. */
export function requireLength({ body = '' }: HttpResponse, maxBytes: number): void {
  // No character takes more than three bytes: what is short by far is not counted.
  if (typeof body === 'string' && body.length * 3 <= maxBytes) return
  const pieces = typeof body === 'string' ? [body] : body
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
  if (bytes <= maxBytes) return
  const details = `an answer may have ${maxBytes} bytes; this one has ${bytes}: ask for a smaller page, or for fewer fields`
  throw new HttpError('invalid_request', details)
}

/** Holds the memory of an answer until it is read. Throws `unavailable` for a read when there is too little. */
export type HoldAnswer = (answer: HttpResponse, isWrite: boolean | undefined) => void

export function answerHold(memory: HeldMemory, response: ServerResponse, tokenId: string): HoldAnswer {
  return ({ body = '' }, isWrite) => {
    const pieces = typeof body === 'string' ? [body] : body
    const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
    if (!memory.reserveFor(response, tokenId, isWrite)(bytes)) throw unread()
  }
}

export function unread(): HttpError {
  return new HttpError('unavailable', 'too many unread responses for this token; read them, then retry')
}
