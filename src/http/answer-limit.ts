import type { ServerResponse } from 'node:http'
import type { HttpResponse } from '../request/exchange.ts'
import { HttpError } from '../request/http-error.ts'
import { byteLength } from './body/body-size.ts'
import type { MemoryBudget } from './memory-budget.ts'

/** Throws `invalid_request` when the answer to a read is too long. */
export function requireLength({ body = '' }: HttpResponse, maxBytes: number): void {
  // A character has at most three bytes: short texts are not measured.
  if (typeof body === 'string' && body.length * 3 <= maxBytes) return
  const bytes = byteLength(body)
  if (bytes <= maxBytes) return
  const details = `an answer may have ${maxBytes} bytes; this one has ${bytes}: ask for a smaller page, or for fewer fields`
  throw new HttpError('invalid_request', details)
}

/** Counts the memory of an answer until the client has read it. Throws `unavailable` for a read beyond the budget. */
export type ChargeAnswer = (answer: HttpResponse, isWrite: boolean | undefined) => void

export function createAnswerCharge(budget: MemoryBudget, response: ServerResponse, tokenId: string): ChargeAnswer {
  return ({ body = '' }, isWrite) => {
    if (!budget.reserveFor(response, tokenId, isWrite)(byteLength(body))) throw tooManyUnreadAnswers()
  }
}

export function tooManyUnreadAnswers(): HttpError {
  return new HttpError('unavailable', 'too many unread responses for this token; read them, then retry')
}
