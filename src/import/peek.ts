import type { Entry } from './row.ts'

const mostRows = 1_000
const mostCharacters = 2 * 1024 * 1024

/** The columns of the first rows of a file whose rows name their own, and all of its rows. */
export async function peekColumns(
  rows: AsyncIterable<Entry[]>,
): Promise<{ columns: readonly string[]; rows: AsyncIterable<Entry[]> }> {
  const iterator = rows[Symbol.asyncIterator]()
  const first: Entry[] = []
  const columns = new Set<string>()
  for (let size = 0; first.length < mostRows && size < mostCharacters; ) {
    const block = await iterator.next()
    if (block.done) break
    first.push(...block.value)
    for (const row of block.value) {
      if ('reason' in row) continue
      size += row.size
      for (const column of row.columns) columns.add(column)
    }
  }
  return { columns: [...columns], rows: chained([first], iterator) }
}

async function* chained<T>(first: T[], rest: AsyncIterator<T>): AsyncGenerator<T> {
  yield* first.splice(0)
  for (let item = await rest.next(); !item.done; item = await rest.next()) yield item.value
}
