import type { IncomingMessage } from 'node:http'
import type { TakeRoom } from './body-memory.ts'

export const mostBytes = 10 * 1024 * 1024

/**
 * The request's body, or `too large` or `no room` as soon as that is known; what comes after is then thrown away unread. `cut off` when the client has
 * gone away in the middle: nobody is left to tell, and nothing of ours has failed.
 */
export async function readBody(
  request: IncomingMessage,
  takeRoom: TakeRoom,
): Promise<Buffer<ArrayBuffer> | 'too large' | 'no room' | 'cut off'> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > mostBytes) return 'too large'
  if (!takeRoom(announced)) return 'no room'
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > mostBytes) return 'too large'
      if (announced === 0 && !takeRoom(chunk.length)) return 'no room'
      chunks.push(chunk)
    }
  } catch {
    return 'cut off'
  }
  return Buffer.concat(chunks, size)
}

/** Why a body was not read: the memory for bodies is used up for the moment. */
export const noRoom = 'the service works on too many large bodies at the moment; try again'
