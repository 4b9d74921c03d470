import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { startOnePerTick } from '../../event-loop/start-one-per-tick.ts'
import type { Reserve } from '../../fair-share/memory-budget.ts'
import { HttpError } from '../../request/http-error.ts'

const pieceBytes = 128 * 1024
export const maxBodyBytes = 10 * 1024 * 1024

/** Reads the body, or returns `too large` as soon as that is known. Throws if it is cut off or memory is short. */
export async function readBody(request: IncomingMessage, reserve: Reserve): Promise<Buffer<ArrayBuffer> | 'too large'> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBodyBytes) return 'too large'
  reserve(announced)
  // A short body arrives with its headers.
  const whole: Buffer<ArrayBuffer> | null = request.complete ? request.read() : null
  if (whole !== null) {
    if (announced === 0) reserve(whole.length)
    await startOnePerTick()
    return whole
  }
  // Chunks are copied as they arrive: to join those of several bodies that end at the same time takes 100 ms.
  let body = Buffer.allocUnsafe(announced)
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const end = size + chunk.length
      if (end > maxBodyBytes) return 'too large'
      if (announced === 0) reserve(chunk.length)
      if (end > body.length) body = Buffer.concat([body], Math.min(2 * end, maxBodyBytes))
      size += chunk.copy(body, size)
      // Lets other requests run: twelve fast clients could send 24 MiB in one iteration.
      if (end % pieceBytes < chunk.length) await setImmediate()
    }
  } catch (error) {
    throw error instanceof HttpError ? error : new HttpError('invalid_request', 'the body is incomplete')
  }
  await startOnePerTick()
  return body.subarray(0, size)
}
