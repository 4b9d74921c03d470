import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { HttpError } from '../../../rest/response/http-error.ts'
import { startOnePerTick } from '../../request/start-one-per-tick.ts'
import type { Reserve } from '../memory-budget.ts'

const pieceBytes = 128 * 1024
export const maxBodyBytes = 10 * 1024 * 1024

/** The body; `too large` as soon as that is known, rest unread. Throws if memory is short or the body is cut off. */
export async function readBody(request: IncomingMessage, reserve: Reserve): Promise<Buffer<ArrayBuffer> | 'too large'> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBodyBytes) return 'too large'
  if (!reserve(announced)) throw noMemory()
  // Filled as the chunks arrive: to join those of several bodies that end at the same time would take 100 ms.
  let body = Buffer.allocUnsafe(announced)
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const end = size + chunk.length
      if (end > maxBodyBytes) return 'too large'
      if (announced === 0 && !reserve(chunk.length)) throw noMemory()
      if (end > body.length) body = Buffer.concat([body], Math.min(2 * end, maxBodyBytes))
      size += chunk.copy(body, size)
      // Other requests run in between: from twelve fast clients 24 MiB would be read in one go.
      if (end % pieceBytes < chunk.length) await setImmediate()
    }
  } catch (error) {
    throw error instanceof HttpError ? error : new HttpError('invalid_request', 'the body is incomplete')
  }
  await startOnePerTick()
  return body.subarray(0, size)
}

function noMemory(): HttpError {
  return new HttpError('unavailable', 'the service works on too many large bodies; retry later')
}
