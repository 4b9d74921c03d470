import { isUtf8 } from 'node:buffer'
import { CsvError, type Parser, parse } from 'csv-parse'
import { shown } from '../catalog/text.ts'
import { BrokenFile } from './broken-file.ts'
import { longestRow, type Row, type RowSource, type UnreadableRow } from './row.ts'
import { UsageError } from './usage-error.ts'

/** A record as it stands in the file. The texts are bytes, one a character, so that bad UTF-8 can be told from good. */
interface CsvRecord {
  cells: string[]
  text: string
  line: number
}

/**
 * Reads comma-separated values (RFC 4180) with a header line. Lines end in LF, CRLF or CR; lines without any content are skipped. A quote
 * within an unquoted cell stands for itself. A row with more or fewer cells than the header, with text behind a closing quote, or with
 * bytes that are no UTF-8 fails alone. Throws a UsageError when the header is missing or names a column twice.
 */
export async function readCsv(chunks: AsyncIterable<Buffer>): Promise<RowSource> {
  const records = readRecords(chunks)
  const header = await records.next()
  if (header.done) throw new UsageError('the file is empty: expected a header line that names the columns')
  const columns = columnsOf(header.value)
  return { columns, rows: readRows(records, columns) }
}

async function* readRows(
  records: AsyncIterable<CsvRecord>,
  columns: readonly string[],
): AsyncGenerator<Row | UnreadableRow> {
  let number = 0
  for await (const record of records) {
    if (record.cells.every((cell) => cell === '')) continue
    number++
    yield rowOf(record, number, columns)
  }
}

function rowOf(record: CsvRecord, number: number, columns: readonly string[]): Row | UnreadableRow {
  const { text, line } = record
  const unreadable = (reason: string, field?: string) => ({ number, line, field, reason, ends: false })
  if (!isWellQuoted(text)) {
    return unreadable('has text behind the closing quote of a cell; a quote within a quoted cell must be doubled')
  }
  if (record.cells.length !== columns.length) {
    return unreadable(`must have ${columns.length} cells, as the header has; got ${record.cells.length}`)
  }
  const cells = decoded(record)
  const bad = cells.indexOf(undefined)
  if (bad >= 0) return unreadable('must be UTF-8', columns[bad])
  return { number, line, size: text.length, cells: new Map(columns.map((column, i) => [column, cells[i] ?? ''])) }
}

function columnsOf(header: CsvRecord): string[] {
  const columns = decoded(header).map((column) => {
    if (column === undefined) throw new UsageError('the header line must be UTF-8')
    return column
  })
  const repeated = columns.filter((column, i) => column !== '' && columns.indexOf(column) < i)
  if (repeated.length === 0) return columns
  throw new UsageError(`the header names columns twice: ${[...new Set(repeated)].map(shown).join(', ')}`)
}

/** The cells as texts, undefined for one that is no UTF-8. */
function decoded({ cells, text }: CsvRecord): (string | undefined)[] {
  if (!/[\x80-\xff]/.test(text)) return cells
  return cells.map((cell) => {
    const bytes = Buffer.from(cell, 'latin1')
    return isUtf8(bytes) ? bytes.toString() : undefined
  })
}

/** Whether each cell that begins with a quote ends with one. The parser is lenient there, which keeps the fault within its own row. */
function isWellQuoted(record: string): boolean {
  if (!record.includes('"')) return true
  for (let at = 0; at < record.length; at++) {
    if (record[at] === '"') {
      do {
        at = record.indexOf('"', at + 1) + 1
        if (at === 0) return false
      } while (record[at] === '"')
      if (at < record.length && record[at] !== ',') return false
    } else {
      at = record.indexOf(',', at)
      if (at < 0) return true
    }
  }
  return true
}

async function* readRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  const found: CsvRecord[] = []
  let line = 1
  const parser = parse({
    encoding: 'latin1',
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: longestRow,
    raw: true,
    // Records are taken from here: what waits in a stream is lost when it breaks.
    on_record: (parsed: unknown) => {
      const { record: cells, raw } = parsed as { record: string[]; raw: string }
      const skipped = /^[\r\n]*/.exec(raw)?.[0] ?? ''
      const text = raw.slice(skipped.length).replace(/[\r\n]{1,2}$/, '')
      line += lineBreaks(skipped)
      found.push({ cells, text, line })
      line += lineBreaks(text) + 1
      return null
    },
  })
  parser.on('error', () => {}) // it comes back from `feed`
  for await (const chunk of chunks) {
    const error = await feed(parser, chunk)
    yield* found.splice(0)
    if (error) throw brokenAt(line, error)
  }
  const error = await feed(parser)
  yield* found
  if (error) throw brokenAt(line, error)
}

/** Parses a chunk, or what is left at the end of the file. */
function feed(parser: Parser, chunk?: Buffer): Promise<Error | null | undefined> {
  return new Promise((resolve) => {
    if (chunk) parser.write(chunk, resolve)
    else parser.end(resolve)
  })
}

function brokenAt(line: number, error: Error): BrokenFile {
  const code = error instanceof CsvError ? error.code : undefined
  if (code === 'CSV_QUOTE_NOT_CLOSED') return new BrokenFile('a quoted cell begins in this row and never ends', line)
  if (code !== 'CSV_MAX_RECORD_SIZE') return new BrokenFile(error.message, line)
  return new BrokenFile(`the row has more than ${longestRow} characters: a quote may be missing`, line)
}

function lineBreaks(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0
}
