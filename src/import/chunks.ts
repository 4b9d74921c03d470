import type { MappedRow } from './map-row.ts'

/** How much a chunk may hold: it is what one transaction writes, and what memory holds a few of. */
export interface ChunkSize {
  rows: number
  characters: number
}

export const usualChunk: ChunkSize = { rows: 20_000, characters: 4 * 1024 * 1024 }

/** How many times as much a chunk may hold when that keeps the rows of a product together. */
const stretch = 5

/** Gathers rows into chunks of a bounded size, in order. Rows of one product that follow each other stay together within reason. */
export async function* chunksOf(
  blocks: AsyncIterable<readonly MappedRow[]>,
  most: ChunkSize = usualChunk,
): AsyncGenerator<MappedRow[]> {
  let chunk: MappedRow[] = []
  let size = 0
  let last: string | undefined
  for await (const rows of blocks) {
    for (const row of rows) {
      const isFull = chunk.length >= most.rows || (chunk.length > 0 && size + row.size > most.characters)
      if (isFull && !(row.code !== undefined && row.code === last && hasRoom(chunk.length, size + row.size, most))) {
        yield chunk
        chunk = []
        size = 0
      }
      chunk.push(row)
      size += row.size
      last = row.code
    }
  }
  if (chunk.length > 0) yield chunk
}

function hasRoom(rows: number, size: number, most: ChunkSize): boolean {
  return rows < stretch * most.rows && size <= stretch * most.characters
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
