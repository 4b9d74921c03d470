import type { Enumerations } from '../../catalogue/enumerations.ts'
import type { ImportRequest } from '../options.ts'
import { reshaped, withPreset } from '../presets/presets.ts'
import { readRows } from '../read/read-rows.ts'
import type { Entry } from '../read/row.ts'
import { type Layout, namedColumns, planLayout } from './layout.ts'
import { type MappedRow, type RowMapper, rowMapper } from './map-row.ts'

/** The rows of a file on their way into the catalogue. */
export interface RowStream {
  /** The columns that the file has; none if each row names its own. */
  columns: readonly string[]
  layout: Layout
  blocks: AsyncIterable<MappedRow[]>
  observed: Observed
}

/** What the rows that were read so far have shown. */
interface Observed {
  /** Columns that options name and that no row had. */
  unseen: Set<string>
  /** Why the file cannot be read any further. */
  broken?: string
}

/**
 * Reads the rows of a file after the first `done`, mapped as the request says. Throws a UsageError if the file does not have the columns that
 * the request names.
 */
export async function streamRows(
  given: ImportRequest,
  enumerations: Enumerations,
  bytes: AsyncIterable<Buffer>,
  done: number,
): Promise<RowStream> {
  const read = await readRows(bytes, given.format)
  const source = reshaped(read, given.preset)
  const { columns, rows } = source.columns ? { ...source, columns: source.columns } : await peekColumns(source.rows)
  const request = withPreset(given, columns)
  const isComplete = source.columns !== undefined
  // If no row could be read, no column is missing: every row fails on its own.
  const known = columns.length === 0 && !isComplete ? [request.code ?? 'product_code'] : columns
  const layout = planLayout(request, enumerations, known, isComplete)
  const observed: Observed = { unseen: new Set([...namedColumns(request).values()].flat()) }
  const blocks = mapBlocks(rows, done, rowMapper(request, layout), observed)
  return { columns: read.columns ?? [], layout, blocks, observed }
}

const mostPeeked = { rows: 1_000, characters: 2 * 1024 * 1024 }

/** The columns of the first rows of a file whose rows name their own, and all of its rows. */
async function peekColumns(
  rows: AsyncIterable<Entry[]>,
): Promise<{ columns: readonly string[]; rows: AsyncIterable<Entry[]> }> {
  const iterator = rows[Symbol.asyncIterator]()
  const first: Entry[] = []
  const columns = new Set<string>()
  for (let size = 0; first.length < mostPeeked.rows && size < mostPeeked.characters; ) {
    const block = await iterator.next()
    if (block.done) break
    for (const row of block.value) {
      first.push(row)
      if ('reason' in row) continue
      size += row.size
      for (const column of row.columns) columns.add(column)
    }
  }
  return { columns: [...columns], rows: chained(first, iterator) }
}

async function* chained(first: Entry[], rest: AsyncIterator<Entry[]>): AsyncGenerator<Entry[]> {
  yield first
  for (let item = await rest.next(); !item.done; item = await rest.next()) yield item.value
}

async function* mapBlocks(
  blocks: AsyncIterable<Entry[]>,
  done: number,
  map: RowMapper,
  observed: Observed,
): AsyncGenerator<MappedRow[]> {
  for await (const rows of blocks) {
    const last = rows.at(-1)
    // Also if that row is done already: a file that is resumed ends there again.
    if (last && 'reason' in last && last.ends) observed.broken = `stopped at row ${last.number}: ${last.reason}`
    const mapped: MappedRow[] = []
    let seen: readonly string[] | undefined
    for (const row of rows) {
      if (row.number <= done) continue
      if (observed.unseen.size > 0 && 'cells' in row && row.columns !== seen) {
        seen = row.columns
        for (const column of seen) observed.unseen.delete(column)
      }
      mapped.push(map(row))
    }
    yield mapped
  }
}
