import type { MappedRow } from './map-row.ts'

/** How long the rows of a chunk may be together: one transaction writes it, and a few of them are in memory. */
const maxCharacters = 1024 * 1024

/**
 * Collects rows in chunks of at most `most` rows, and as many assets, in order. A chunk may be twice as large to hold
 * all rows of its last product.
 */
export async function* chunksOf(
  blocks: AsyncIterable<readonly MappedRow[]>,
  most: number,
): AsyncGenerator<MappedRow[]> {
  let chunk: MappedRow[] = []
  let size = 0
  let assets = 0
  for await (const rows of blocks) {
    for (const row of rows) {
      const room = row.code !== undefined && row.code === chunk.at(-1)?.code ? 2 : 1
      const isFull = Math.max(chunk.length, assets) >= most * room || size + row.size > maxCharacters * room
      if (isFull && chunk.length > 0) {
        yield chunk
        chunk = []
        size = 0
        assets = 0
      }
      chunk.push(row)
      size += row.size
      assets += row.assets.length
    }
  }
  if (chunk.length > 0) yield chunk
}

/**
 * The same items, each made while the one before it is in use, until the signal is aborted. It does not wait for the
 * next one then: from a pipe it may never come.
 */
export async function* prefetch<T>(items: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  let next = items.next()
  try {
    for (;;) {
      const item = await unlessAborted(next, signal)
      if (!item || item.done) return
      next = items.next()
      next.catch(() => {}) // it is awaited later, if at all
      yield item.value
    }
  } finally {
    const ended = items.return(undefined)
    if (signal.aborted) ended.catch(() => {})
    else await ended
  }
}

/** The promise's value, or undefined once the signal is aborted. Unlike a race it leaves no listener on the signal. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
