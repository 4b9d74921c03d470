import type { Row, RowSource, UnreadableRow } from './row.ts'

const mostRows = 1_000
const mostCharacters = 2 * 1024 * 1024

/** The columns of the first rows of a file whose rows name their own, and all of its rows. */
export async function peekColumns(
  rows: AsyncIterable<Row | UnreadableRow>,
): Promise<RowSource & { columns: readonly string[] }> {
  const iterator = rows[Symbol.asyncIterator]()
  const first: (Row | UnreadableRow)[] = []
  const columns = new Set<string>()
  for (let size = 0; first.length < mostRows && size < mostCharacters; ) {
    const item = await iterator.next()
    if (item.done) break
    first.push(item.value)
    if ('reason' in item.value) continue
    size += item.value.size
    for (const column of item.value.cells.keys()) columns.add(column)
  }
  return { columns: [...columns], rows: chained(first, iterator) }
}

async function* chained<T>(first: T[], rest: AsyncIterator<T>): AsyncGenerator<T> {
  yield* first.splice(0)
  for (let item = await rest.next(); !item.done; item = await rest.next()) yield item.value
}
