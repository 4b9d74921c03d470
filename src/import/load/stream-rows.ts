import type { Enumerations } from '../../catalogue/enumerations.ts'
import type { ImportRequest } from '../options.ts'
import { groupByProduct, withPreset } from '../presets/presets.ts'
import { readRows } from '../read/read-rows.ts'
import type { Entry, Reading } from '../read/row.ts'
import { type Layout, namedColumns, planLayout } from './layout.ts'
import { type MappedRow, rowMapper } from './map-row.ts'

export interface RowStream extends Pick<Reading, 'recognized' | 'notes'> {
  /** The columns that the file has; none if each row names its own. */
  columns: readonly string[]
  layout: Layout
  rows: AsyncIterable<MappedRow[]>
  /** Columns that options name and that no row had so far. */
  unseen: Set<string>
  /** Why the file cannot be read any further, once it cannot. */
  broken(): string | undefined
}

/**
 * Reads the rows of a file after the first `done`, mapped as the request says. Throws a UsageError if the file does not
 * have the columns that the request names.
 */
export async function streamRows(
  given: ImportRequest,
  enumerations: Enumerations,
  bytes: AsyncIterable<Buffer>,
  done: number,
  reopen?: () => AsyncIterable<Buffer>,
): Promise<RowStream> {
  const read = await readRows(bytes, given, reopen)
  const source = groupByProduct(read, given.preset)
  const isComplete = source.columns !== undefined
  const { first, columns } = source.columns ? { first: [], columns: source.columns } : await sampleColumns(source.rows)
  const request = withPreset(given, columns)
  // If no row could be read, no column is missing: every row fails on its own.
  const known = columns.length === 0 && !isComplete ? [request.code ?? 'product_code'] : columns
  const layout = planLayout(request, enumerations, known, isComplete)
  const map = rowMapper(request, layout, read)
  const unseen = new Set([...namedColumns(request).values()].flat())
  let broken: string | undefined
  const mapped = (rows: readonly Entry[]) => {
    const last = rows.at(-1)
    // Also if that row is done already: a file that is resumed ends there again.
    if (last && 'reason' in last && last.ends) broken = `stopped at row ${last.number}: ${last.reason}`
    const left = rows.filter(({ number }) => number > done)
    let seen: readonly string[] | undefined
    for (const row of unseen.size > 0 ? left : []) {
      if ('reason' in row || row.columns === seen) continue
      seen = row.columns
      for (const column of seen) unseen.delete(column)
    }
    // Rows that are done are mapped, too: later ones may replace their values.
    return rows.map(map).slice(rows.length - left.length)
  }
  async function* rows() {
    yield mapped(first)
    for await (const block of source.rows) yield mapped(block)
  }
  const { recognized, notes } = read
  return { recognized, notes, columns: read.columns ?? [], layout, rows: rows(), unseen, broken: () => broken }
}

const sampleSize = { rows: 1_000, characters: 2 * 1024 * 1024 }

/** The first rows of a file whose rows name their own columns, and the columns of these rows. */
async function sampleColumns(blocks: AsyncGenerator<Entry[]>): Promise<{ first: Entry[]; columns: string[] }> {
  const first: Entry[] = []
  const columns = new Set<string>()
  for (let size = 0; first.length < sampleSize.rows && size < sampleSize.characters; ) {
    const block = await blocks.next()
    if (block.done) break
    for (const row of block.value) {
      first.push(row)
      if ('reason' in row) continue
      size += row.size
      for (const column of row.columns) columns.add(column)
    }
  }
  return { first, columns: [...columns] }
}
