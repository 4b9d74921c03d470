import type { Enumerations } from '../catalog/enumerations.ts'
import { type Layout, namedColumns, planLayout } from './layout.ts'
import { type MappedRow, mapUnreadable, type RowMapper, rowMapper } from './map-row.ts'
import { peekColumns } from './peek.ts'
import { reshaped, withPreset } from './presets.ts'
import { readRows } from './read-rows.ts'
import type { ImportRequest } from './request.ts'
import type { Entry } from './row.ts'

/** The rows of a file on their way into the catalogue. */
export interface RowStream {
  /** The columns that the file has; none where each row names its own. */
  columns: readonly string[]
  layout: Layout
  blocks: AsyncIterable<MappedRow[]>
  /** Columns that were named and that no row had yet. */
  unseen: ReadonlySet<string>
  /** Why the file could not be read any further, once it could not. */
  broken(): string | undefined
}

/** Reads the rows of a file behind those that are worked already, mapped as the request says. Throws a UsageError when the file does not have what it names. */
export async function streamRows(
  given: ImportRequest,
  enumerations: Enumerations,
  bytes: AsyncIterable<Buffer>,
  worked: number,
): Promise<RowStream> {
  const read = await readRows(bytes, given.format)
  const source = reshaped(read, given.preset)
  const { columns, rows } = source.columns ? { ...source, columns: source.columns } : await peekColumns(source.rows)
  const request = withPreset(given, columns)
  const isComplete = source.columns !== undefined
  // Where no row could be read there is nothing to look for, and every row fails on its own.
  const known = columns.length === 0 && !isComplete ? [request.code ?? 'product_code'] : columns
  const layout = planLayout(request, enumerations, known, isComplete)
  const unseen = new Set([...namedColumns(request).values()].flat())
  const end: End = { broken: undefined }
  const blocks = mapped(watched(behind(noted(rows, end), worked), unseen), rowMapper(request, layout))
  return { columns: read.columns ?? [], layout, blocks, unseen, broken: () => end.broken }
}

interface End {
  broken: string | undefined
}

/** Notes where the file ends before its time: also when that row is worked already. */
async function* noted(blocks: AsyncIterable<Entry[]>, end: End): AsyncGenerator<Entry[]> {
  for await (const rows of blocks) {
    const last = rows.at(-1)
    if (last && 'reason' in last && last.ends) end.broken = `stopped at row ${last.number}: ${last.reason}`
    yield rows
  }
}

/** The rows behind those that are worked already. */
async function* behind(blocks: AsyncIterable<Entry[]>, worked: number): AsyncGenerator<Entry[]> {
  for await (const rows of blocks) {
    if ((rows.at(-1)?.number ?? 0) <= worked) continue
    yield (rows[0]?.number ?? 0) > worked ? rows : rows.filter(({ number }) => number > worked)
  }
}

async function* watched(blocks: AsyncIterable<Entry[]>, unseen: Set<string>): AsyncGenerator<Entry[]> {
  let seen: readonly string[] | undefined
  for await (const rows of blocks) {
    for (const row of rows) {
      if (unseen.size === 0 || 'reason' in row || row.columns === seen) continue
      for (const column of row.columns) unseen.delete(column)
      seen = row.columns
    }
    yield rows
  }
}

async function* mapped(blocks: AsyncIterable<Entry[]>, map: RowMapper): AsyncGenerator<MappedRow[]> {
  for await (const rows of blocks) yield rows.map((row) => ('reason' in row ? mapUnreadable(row) : map(row)))
}
