import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { HttpError } from '../../request/http-error.ts'
import { sendContinue } from './continue.ts'
import { tooLarge } from './read-body.ts'

export interface FileLimits extends Partial<UploadTimes> {
  maxBytes: number
}

export interface UploadTimes {
  /** How long a client may send nothing; by default 30 seconds. */
  idleMs: number
  /** How long the gateway waits for each mebibyte; by default 60 seconds. Its own work does not count. */
  mebibyteMs: number
}

const mebibyte = 1024 * 1024

/** Requests whose files are read: the time limit of whole requests does not hold for them. */
const withFile = new WeakSet<IncomingMessage>()

export function hasOwnTimeLimit(request: IncomingMessage): boolean {
  return withFile.has(request)
}

/**
 * Reads a file as it arrives, of any media type. Its bytes do not count as memory: few are held. Throws as soon as it
 * is known to be too large, and if it is empty, is cut off or its client sends nothing, or too little, for too long.
 */
export async function* readFile(
  request: IncomingMessage,
  { maxBytes, idleMs = 30_000, mebibyteMs = 60_000 }: FileLimits,
): AsyncGenerator<Buffer, void> {
  requireReadable(request.headers, maxBytes)
  withFile.add(request)
  sendContinue(request)
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  const pause = { ms: idleMs, details: `the body must not pause for more than ${idleMs / 1000} s` }
  const details = `each MiB of the body must come within ${mebibyteMs / 1000} s`
  let size = 0
  let measured = 0
  let left = mebibyteMs
  try {
    for (;;) {
      const asked = performance.now()
      const { done, value } = await nextWithin(chunks, left < idleMs ? { ms: left, details } : pause)
      if (done) break
      size += value.length
      left -= performance.now() - asked
      if (size - measured >= mebibyte) {
        measured = size
        left = mebibyteMs
      }
      if (size > maxBytes) throw tooLarge(maxBytes)
      yield value
    }
  } finally {
    // Not awaited: a client that sends nothing would delay its answer. The rest of the body can be discarded.
    chunks.return?.().catch(() => {})
  }
  if (size === 0) throw new HttpError('invalid_request', 'body must be a file; got nothing')
}

function requireReadable(headers: IncomingHttpHeaders, maxBytes: number): void {
  const { 'content-length': announced = '0', 'content-encoding': encoding = 'identity' } = headers
  if (!/^(identity|gzip|x-gzip)$/i.test(encoding)) {
    const details = `body must be a file, or a file packed by gzip; got Content-Encoding: ${encoding}`
    throw new HttpError('unsupported_media_type', details)
  }
  if (Number(announced) > maxBytes) throw tooLarge(maxBytes)
}

async function nextWithin(
  chunks: AsyncIterator<Buffer>,
  { ms, details }: { ms: number; details: string },
): Promise<IteratorResult<Buffer, unknown>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new HttpError('invalid_request', details, {}, 408)), ms)
  })
  try {
    return await Promise.race([chunks.next(), late])
  } catch (error) {
    throw error instanceof HttpError ? error : new HttpError('invalid_request', 'the body is incomplete')
  } finally {
    clearTimeout(timer)
  }
}
