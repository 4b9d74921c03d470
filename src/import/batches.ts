interface Batchable {
  code: string | undefined
  size: number
}

const mostRows = 1_000
const mostCharacters = 2 * 1024 * 1024
/** How many times as much a batch may hold when that keeps the rows of a product together. */
const stretch = 5

/** Gathers rows into batches of a bounded size, in order. Rows of one product that follow each other stay together within reason. */
export async function* batches<T extends Batchable>(rows: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  let size = 0
  for await (const row of rows) {
    const isSame = row.code !== undefined && row.code === batch.at(-1)?.code
    const room = isSame ? stretch : 1
    if (batch.length >= mostRows * room || (batch.length > 0 && size + row.size > mostCharacters * room)) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(row)
    size += row.size
  }
  if (batch.length > 0) yield batch
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
