import type { Enumerations } from '../../catalogue/enumerations.ts'
import { isOfReport } from '../../request/csv/attribute-column.ts'
import { unlessAborted } from '../../request/give-up.ts'
import type { ImportRequest } from '../options.ts'
import { reshaped, withPreset } from '../presets/presets.ts'
import { readRows } from '../read/read-rows.ts'
import { type Entry, type Reading, type Reopen, sentenceOf } from '../read/row.ts'
import { hintOf, type Layout, namedColumns, planLayout } from './layout.ts'
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
  reopen?: Reopen,
): Promise<RowStream> {
  const read = await readRows(bytes, given, reopen)
  const source = reshaped(read, given)
  const isComplete = source.columns !== undefined
  const { first, columns } = source.columns ? { first: [], columns: source.columns } : await sampleColumns(source.rows)
  // If no row could be read, no column is missing: every row fails on its own.
  const isUnknown = columns.every(isOfReport) && !isComplete
  const request = isUnknown ? given : withPreset(given, columns, read)
  const known = isUnknown ? [request.code ?? 'product_code'] : columns
  const layout = planLayout(request, enumerations, known, isComplete, hintOf(request, first, read))
  const map = rowMapper(request, layout, read)
  const unseen = new Set([...namedColumns(given).values()].flat())
  let broken: string | undefined
  const mapped = (rows: readonly Entry[]) => {
    const last = rows.at(-1)
    // Also if that row is done already: a file that is resumed ends there again.
    if (last && 'fault' in last && last.ends) broken = `stopped at row ${last.number}: ${sentenceOf(last.fault)}`
    let seen: readonly string[] | undefined
    for (const row of unseen.size > 0 ? rows : []) {
      if ('fault' in row || row.columns === seen) continue
      seen = row.columns
      for (const column of seen) unseen.delete(column)
    }
    // Rows that are done are mapped, too: later ones may replace their values.
    return rows.map(map).filter(({ number }) => number > done)
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
      if ('fault' in row) continue
      size += row.size
      for (const column of row.columns) if (column !== '') columns.add(column)
    }
  }
  return { first, columns: [...columns] }
}

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
 * The same items, each made while the one before it is used, until the signal is aborted; then it does not wait for the
 * next one: from a pipe it may never come.
 */
export async function* withReadAhead<T>(items: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  const readNext = () => {
    const next = items.next()
    next.catch(() => {}) // it is awaited later, if at all
    return next
  }
  try {
    for (let next = readNext(); ; ) {
      const item = await unlessAborted(next, signal)
      if (!item || item.done) return
      next = readNext()
      yield item.value
    }
  } finally {
    // It ends after the item that is being made.
    items.return(undefined).catch(() => {})
  }
}
