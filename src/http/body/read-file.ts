import type { IncomingMessage } from 'node:http'
import { HttpError } from '../../request/http-error.ts'
import { tooLarge } from './read-body.ts'

export interface FileLimits {
  maxBytes: number
  /** How long a client may send nothing. */
  idleMs: number
}

/** Requests whose files are read: the time limit of whole requests does not hold for them. */
const withFile = new WeakSet<IncomingMessage>()

export function hasOwnTimeLimit(request: IncomingMessage): boolean {
  return withFile.has(request)
}

/**
 * Reads a file as it arrives, of any media type. Its bytes do not count as memory: few are held. Throws as soon as it
 * is known to be too large, and if it is empty, is cut off or its client sends nothing for too long.
 */
export async function* readFile(
  request: IncomingMessage,
  { maxBytes, idleMs }: FileLimits,
): AsyncGenerator<Buffer, void> {
  const { 'content-length': announced = '0', 'content-encoding': encoding = 'identity' } = request.headers
  if (!/^(identity|gzip|x-gzip)$/i.test(encoding)) {
    const details = `body must be a file, or a file packed by gzip; got Content-Encoding: ${encoding}`
    throw new HttpError('unsupported_media_type', details)
  }
  if (Number(announced) > maxBytes) throw tooLarge(maxBytes)
  withFile.add(request)
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let size = 0
  try {
    for (;;) {
      const { done, value } = await nextWithin(chunks, idleMs)
      if (done) break
      size += value.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      yield value
    }
  } finally {
    // Not awaited: a client that sends nothing would delay its answer. The rest of the body can be drained.
    chunks.return?.().catch(() => {})
  }
  if (size === 0) throw new HttpError('invalid_request', 'body must be a file; got nothing')
}

async function nextWithin(chunks: AsyncIterator<Buffer>, ms: number): Promise<IteratorResult<Buffer, unknown>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const error = new HttpError('invalid_request', `the body must not pause for more than ${ms / 1000} s`, {}, 408)
    timer = setTimeout(() => reject(error), ms)
  })
  try {
    return await Promise.race([chunks.next(), late])
  } catch (error) {
    throw error instanceof HttpError ? error : new HttpError('invalid_request', 'the body is incomplete')
  } finally {
    clearTimeout(timer)
  }
}
