import type { IncomingMessage } from 'node:http'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { FairQueue } from '../fair-share/fair-queue.ts'
import { memoized } from '../lazy.ts'
import { acceptedOf } from '../request/accepted.ts'
import { requestContext } from '../request/context.ts'
import type { HttpResponse } from '../request/exchange.ts'
import { byteLength, piecesOf } from './body/body-size.ts'

type Encoding = 'br' | 'gzip'

/** Shorter bodies fit into one packet anyway. */
const minBytes = 1024

/** Large bodies leave a core to the main thread: threads of Node have its priority. */
const largeOnes = new FairQueue({ slots: Math.max(1, availableParallelism() - 1) })
const largeBytes = 64 * 1024

/** The compressed bodies of a page, whose pieces are frozen: the same are sent each time. */
const encodingsOf = memoized((_page: readonly Buffer[]) => new Map<Encoding, Promise<Buffer>>())

/** The answer, compressed in a thread of Node if the client accepts that: other requests do not wait. */
export async function compressed(request: IncomingMessage, answer: HttpResponse): Promise<HttpResponse> {
  const { status, headers, body } = answer
  const encoding = encodingFor(request, body)
  if (!encoding || body === undefined) return answer
  answer.body = undefined
  const sent = piecesOf(body)
  const kept = Object.isFrozen(sent) ? encodingsOf(sent) : undefined
  const made = kept?.get(encoding) ?? compress(sent, encoding, kept ? 6 : 4)
  kept?.set(encoding, made)
  const Vary = headers.Vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${headers.Vary}`
  return { status, headers: { ...headers, Vary, 'Content-Encoding': encoding }, body: [await made] }
}

/** The encoding that the client accepts for a body of some length; undefined: none. */
function encodingFor({ headers }: IncomingMessage, body: HttpResponse['body']): Encoding | undefined {
  const accepted = headers['accept-encoding']
  if (accepted === undefined || byteLength(body) < minBytes) return undefined
  const names = acceptedOf(accepted.toString())
  return (['br', 'gzip'] as const).find((name) => names.includes(name))
}

async function compress(pieces: readonly Buffer[], encoding: Encoding, quality: number) {
  const bytes = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
  if (bytes.length <= largeBytes) return compressBytes(bytes, encoding, quality)
  // Without the signal of the request: others may wait for the same page.
  const { tenant = '', tokenId = '' } = requestContext.getStore() ?? {}
  const release = await largeOnes.acquire({ tenant, tokenId })
  try {
    return await compressBytes(bytes, encoding, quality)
  } finally {
    release()
  }
}

function compressBytes(bytes: Buffer, encoding: Encoding, quality: number): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(bytes, { level: quality })
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_PARAM_LGWIN } = constants
  const params = { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: bytes.length, [BROTLI_PARAM_LGWIN]: 22 }
  return promisify(brotliCompress)(bytes, { params })
}
