import { isUtf8 } from 'node:buffer'
import { shown } from '../catalog/text.ts'
import { csvBlocks, type FoundRecord } from './csv-blocks.ts'
import { errorColumns } from './report-format.ts'
import type { Entry, RowSource, Source } from './row.ts'
import { UsageError } from './usage-error.ts'

/**
 * Reads comma-separated values (RFC 4180) with a header line. Lines end in LF, CRLF or CR; lines without any content are skipped. A quote
 * within an unquoted cell stands for itself. A row with more or fewer cells than the header, with text behind a closing quote, or with
 * bytes that are no UTF-8 fails alone. Throws a UsageError when the header is missing or names a column twice.
 */
export async function readCsv(chunks: AsyncIterable<Buffer>): Promise<RowSource> {
  const blocks = csvBlocks(chunks)
  for (;;) {
    const block = await blocks.next()
    if (block.done) throw new UsageError('the file is empty: expected a header line that names the columns')
    const [header, ...first] = block.value
    if (!header) continue
    const columns = columnsOf(header)
    return { columns, rows: readRows(first, blocks, columns) }
  }
}

async function* readRows(
  first: readonly FoundRecord[],
  blocks: AsyncIterable<FoundRecord[]>,
  columns: readonly string[],
): AsyncGenerator<Entry[]> {
  let number = 0
  const rowsOf = (records: readonly FoundRecord[]) => {
    const rows: Entry[] = []
    for (const record of records) {
      if (record.cells.every((cell) => cell === '')) continue
      rows.push(rowOf(record, ++number, columns))
    }
    return rows
  }
  yield rowsOf(first)
  for await (const block of blocks) yield rowsOf(block)
}

function rowOf(record: FoundRecord, number: number, columns: readonly string[]): Entry {
  const { text, line } = record
  const source: Source = record.isUtf8 ? text : sourceOf(text)
  const { cells: found } = record
  const unreadable = (reason: string, field?: string) => {
    return { number, line, field, reason, ends: false, source, found }
  }
  if (record.torn !== undefined) {
    const got = 'got text behind the closing quote'
    return unreadable(`must double a quote within a quoted cell; ${got}`, columns[record.torn])
  }
  if (record.cells.length !== columns.length) {
    return unreadable(`must have ${columns.length} cells, as the header has; got ${record.cells.length}`)
  }
  const size = text.length
  if (record.isUtf8) return { number, line, size, columns, cells: record.cells, source }
  const cells = decoded(record)
  const bad = cells.indexOf(undefined)
  if (bad >= 0) {
    return unreadable(
      'must be UTF-8; got other bytes: the file may be Latin-1 or Windows-1252, save it as UTF-8',
      columns[bad],
    )
  }
  return { number, line, size, columns, cells: cells.map((cell) => cell ?? ''), source }
}

function columnsOf(header: FoundRecord): string[] {
  const columns = decoded(header).map((column) => {
    if (column === undefined) throw new UsageError('the header line must be UTF-8: save the file as UTF-8')
    if (column.includes('\0'))
      throw new UsageError('the header line has NUL in it: the file may be UTF-16, save it as UTF-8')
    return column
  })
  // A report may have got its own columns twice: an import passes over them all.
  const isAllowed = (column: string) => column === '' || errorColumns.includes(column)
  const repeated = columns.filter((column, i) => !isAllowed(column) && columns.indexOf(column) < i)
  if (repeated.length === 0) return columns
  throw new UsageError(`the header names columns twice: ${[...new Set(repeated)].map(shown).join(', ')}`)
}

/** The cells as texts, undefined for one that is no UTF-8. */
function decoded({ cells, isUtf8: isDecoded }: FoundRecord): (string | undefined)[] {
  if (isDecoded) return cells
  return cells.map((cell) => {
    const bytes = Buffer.from(cell, 'latin1')
    return isUtf8(bytes) ? bytes.toString() : undefined
  })
}

function sourceOf(text: string): Source {
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : bytes
}
