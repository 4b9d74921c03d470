import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { reserve } from '../../request/context.ts'
import { HttpError } from '../../request/http-error.ts'
import { sendContinue } from './continue.ts'

const pieceBytes = 128 * 1024
const mebibyte = 1024 * 1024
export const maxBodyBytes = 10 * mebibyte

/** Reads the body. Throws as soon as it is known to be too large, and if it is cut off or memory is short. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBytes) throw tooLarge(maxBytes)
  reserve(announced)
  sendContinue(request)
  // Chunks are copied as they arrive: to join those of several bodies that end at the same time takes 100 ms.
  let body = Buffer.allocUnsafe(announced)
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const end = size + chunk.length
      if (end > maxBytes) throw tooLarge(maxBytes)
      if (announced === 0) reserve(chunk.length)
      if (end > body.length) body = Buffer.concat([body], Math.min(2 * end, maxBytes))
      size += chunk.copy(body, size)
      // Lets other requests run: twelve fast clients could send 24 MiB in one iteration.
      if (end % pieceBytes < chunk.length) await setImmediate()
    }
  } catch (error) {
    throw error instanceof HttpError ? error : new HttpError('invalid_request', 'the body is incomplete')
  }
  return body.subarray(0, size)
}

export function tooLarge(maxBytes: number): HttpError {
  const size = maxBytes < mebibyte ? `${maxBytes / 1024} KiB` : `${maxBytes / mebibyte} MiB`
  return new HttpError('payload_too_large', `body must have at most ${size}`)
}
