import type { IncomingMessage } from 'node:http'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { FairQueue } from '../fair-share/fair-queue.ts'
import { memoized } from '../lazy.ts'
import { acceptedOf } from '../request/accepted.ts'
import type { RequestContext } from '../request/context.ts'
import type { HttpResponse } from '../request/exchange.ts'
import { byteLength, piecesOf } from './body/body-size.ts'

type Share = Pick<RequestContext, 'tenant' | 'tokenId'>
export type Encoding = 'br' | 'gzip'

/** Shorter bodies fit into one packet anyway. */
const minBytes = 1024

/** The encoding that the client accepts for an answer of some length; undefined: none. */
export function encodingOf({ headers }: IncomingMessage, { body }: HttpResponse): Encoding | undefined {
  const accepted = headers['accept-encoding']
  if (accepted === undefined || body === undefined) return undefined
  if (byteLength(body) < minBytes) return undefined
  const names = acceptedOf(accepted.toString())
  return (['br', 'gzip'] as const).find((name) => names.includes(name))
}

/** Large bodies leave a core to the main thread: threads of Node have its priority. */
const cores = new FairQueue({ slots: Math.max(1, availableParallelism() - 1) })
const largeBytes = 64 * 1024

/** The compressed bodies of a page, whose pieces are frozen: the same are sent each time. */
const encodingsOf = memoized((_page: readonly Buffer[]) => new Map<Encoding, Promise<Buffer>>())

/** The answer with its body compressed, in a thread of Node: other requests do not wait. */
export async function compressed(answer: HttpResponse, encoding: Encoding, share?: Share): Promise<HttpResponse> {
  const { status, headers, body = '' } = answer
  answer.body = undefined
  const sent = piecesOf(body)
  const kept = Object.isFrozen(sent) ? encodingsOf(sent) : undefined
  const made = kept?.get(encoding) ?? compress(sent, encoding, kept ? 6 : 4, share)
  kept?.set(encoding, made)
  return { status, headers: { ...headers, 'Content-Encoding': encoding }, body: [await made] }
}

async function compress(pieces: readonly Buffer[], encoding: Encoding, quality: number, share?: Share) {
  const bytes = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
  if (bytes.length <= largeBytes) return compressBytes(bytes, encoding, quality)
  const release = await cores.acquire(share)
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
