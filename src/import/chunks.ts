import type { MappedRow } from './map-row.ts'
import { ChunkBuilder, type ChunkContext, type PreparedChunk } from './prepare-chunk.ts'

/** How much a chunk may hold, and as many assets as rows: it is what one transaction writes, and what memory holds a few of. */
interface ChunkSize {
  rows: number
  characters: number
}

export const usualChunk: ChunkSize = { rows: 10_000, characters: 2 * 1024 * 1024 }

/** How many times as much a chunk may hold when that keeps the rows of a product together. */
const stretch = 2

/** Gathers rows into chunks of a bounded size, in order. Rows of one product that follow each other stay together within reason. */
export async function* chunksOf(
  blocks: AsyncIterable<readonly MappedRow[]>,
  begin: () => Promise<ChunkContext>,
  most: ChunkSize,
): AsyncGenerator<PreparedChunk> {
  let builder: ChunkBuilder | undefined
  for await (const rows of blocks) {
    for (const row of rows) {
      if (builder && isFull(builder, row, most)) {
        yield builder.finish()
        builder = undefined
      }
      builder ??= new ChunkBuilder(await begin())
      builder.add(row)
    }
  }
  if (builder) yield builder.finish()
}

/** Rows that fail are kept whole until they are reported, those that go in as bytes: of them there may be more. */
const mostFailed = 1024 * 1024

function isFull(
  { rows, assets, size, failedSize, last }: ChunkBuilder,
  { code, size: more }: MappedRow,
  most: ChunkSize,
): boolean {
  const room = code !== undefined && code === last ? stretch : 1
  return (
    rows >= most.rows * room ||
    assets >= most.rows * room ||
    size + more > most.characters * room ||
    failedSize > mostFailed * room
  )
}

/** The same items; each is made while the one before it is being used. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (let item = await next; !item.done; item = await next) {
      next = iterator.next()
      next.catch(() => {}) // it is awaited later, if at all
      yield item.value
    }
  } finally {
    await iterator.return?.()
  }
}
