import type { IncomingMessage } from 'node:http'

export const mostBytes = 10 * 1024 * 1024

/**
 * The request's body, or `too large` as soon as that is known; what comes after is then thrown away unread. `cut off` when the client has
 * gone away in the middle: nobody is left to tell, and nothing of ours has failed.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer> | 'too large' | 'cut off'> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return 'too large'
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > mostBytes) return 'too large'
      chunks.push(chunk)
    }
  } catch {
    return 'cut off'
  }
  return Buffer.concat(chunks, size)
}
