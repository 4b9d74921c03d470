import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { messageOf } from '../../../errors.ts'
import { UsageError } from '../../usage-error.ts'
import { BrokenFile } from '../row.ts'

type Chunks = AsyncIterable<Buffer>

const mebibyte = 1024 * 1024
export const maxUnpacked = 1024 * mebibyte
/** Only above this size the ratio is limited: a small file of equal rows has a large one. */
const unpackedFreely = 10 * mebibyte
const maxRatio = 200

/** The first bytes of a file, at least `size` of them if it has so many, and the file from its start. */
export async function peek(chunks: Chunks, size: number): Promise<{ head: Buffer; chunks: Chunks }> {
  const iterator = chunks[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (head.length < size) {
    const next = await iterator.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  async function* whole() {
    if (head.length > 0) yield head
    // A plain loop: `for await` over a generator that has begun would end it with the loop.
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { head, chunks: whole() }
}

/** The bytes after the first `length`. */
export async function* withoutStart(chunks: Chunks, length: number): AsyncGenerator<Buffer> {
  let left = length
  for await (const chunk of chunks) {
    const rest = left === 0 ? chunk : chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
    if (rest.length > 0) yield rest
  }
}

/** The content of a file: unpacked if it is gzip. Throws a UsageError if gzip data cannot be unpacked at its start. */
export async function unpackedIfGzip(chunks: Chunks): Promise<{ head: Buffer; chunks: Chunks }> {
  const packed = await peek(chunks, 4)
  if (packed.head.toString('hex', 0, 2) !== '1f8b') return packed
  return peek(unpacked(packed.chunks), 4).catch((error: unknown) => {
    throw error instanceof BrokenFile ? new UsageError(error.message) : error
  })
}

async function* unpacked(chunks: Chunks): AsyncGenerator<Buffer> {
  const limit = createSizeLimit()
  async function* counted() {
    for await (const chunk of chunks) {
      limit.packed(chunk.length)
      yield chunk
    }
  }
  const bytes = createGunzip({ chunkSize: 32 * 1024 })
  // Errors of either reach the reader.
  pipeline(Readable.from(counted(), { objectMode: false }), bytes, () => {})
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      limit.unpacked(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw error instanceof BrokenFile ? error : new BrokenFile(`the file must be whole gzip data: ${messageOf(error)}`)
  }
}

/** Counts packed and unpacked bytes. Throws a BrokenFile if they are too many, or too many for what they come from. */
export function createSizeLimit() {
  let from = 0
  let to = 0
  return {
    packed: (bytes: number) => {
      from += bytes
    },
    unpacked: (bytes: number) => {
      to += bytes
      if (to > maxUnpacked) throw new BrokenFile(`the unpacked file must have at most ${maxUnpacked} bytes`)
      if (to > unpackedFreely && to > maxRatio * from) {
        throw new BrokenFile(`the file must unpack to at most ${maxRatio} times its size`)
      }
    },
  }
}

/** What was found in bytes: records, how many bytes they take, and why there are no more of them. */
interface Taken<T> {
  records: T[]
  used: number
  broken?: Error | undefined
}

/** Finds a file's records and yields those of each part together. `take` gets the bytes that are not used up yet. */
export async function* recordsOf<T>(
  chunks: AsyncIterable<Buffer>,
  take: (bytes: Buffer, isLast: boolean) => Taken<T>,
): AsyncGenerator<T[]> {
  let waiting: Buffer[] = []
  let rest = 0
  let size = 0
  const takeAll = (isLast: boolean) => {
    const bytes = Buffer.concat(waiting)
    const taken = take(bytes, isLast)
    waiting = [bytes.subarray(taken.used)]
    rest = size = bytes.length - taken.used
    return taken
  }
  for await (const chunk of chunks) {
    waiting.push(chunk)
    size += chunk.length
    // A long record is not searched again for each small part of it that comes in.
    if (size < 2 * rest) continue
    const { records, broken } = takeAll(false)
    yield records
    if (broken) throw broken
  }
  const { records, broken } = takeAll(true)
  yield records
  if (broken) throw broken
}
