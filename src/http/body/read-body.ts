import type { IncomingMessage } from 'node:http'
import { HttpError } from '../../../rest/response/http-error.ts'
import type { Reserve } from './body-memory.ts'

export const maxBodyBytes = 10 * 1024 * 1024

/** The body; `too large` as soon as that is known, rest unread. Throws if memory is short or the body is cut off. */
export async function readBody(request: IncomingMessage, reserve: Reserve): Promise<Buffer<ArrayBuffer> | 'too large'> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBodyBytes) return 'too large'
  if (!reserve(announced)) throw noMemory()
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBodyBytes) return 'too large'
      if (announced === 0 && !reserve(chunk.length)) throw noMemory()
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof HttpError ? error : new HttpError('invalid_request', 'the body ended before it was whole')
  }
  return Buffer.concat(chunks, size)
}

function noMemory(): HttpError {
  return new HttpError('unavailable', 'the service works on too many large bodies at the moment; try again')
}
