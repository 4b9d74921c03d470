import type { IncomingMessage } from 'node:http'
import type { Reserve } from './body-memory.ts'

export const maxBodyBytes = 10 * 1024 * 1024

/** The request's body; `too large` or `no memory` as soon as that is known, with the rest unread; `cut off` when the client left in the middle. */
export async function readBody(
  request: IncomingMessage,
  reserve: Reserve,
): Promise<Buffer<ArrayBuffer> | 'too large' | 'no memory' | 'cut off'> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBodyBytes) return 'too large'
  if (!reserve(announced)) return 'no memory'
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBodyBytes) return 'too large'
      if (announced === 0 && !reserve(chunk.length)) return 'no memory'
      chunks.push(chunk)
    }
  } catch {
    return 'cut off'
  }
  return Buffer.concat(chunks, size)
}

/** Why a body was not read: the memory for bodies is used up. */
export const noMemory = 'the service works on too many large bodies at the moment; try again'
