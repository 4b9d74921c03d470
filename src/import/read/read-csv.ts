import { isUtf8 } from 'node:buffer'
import { parse } from 'csv-parse'
import { shown } from '../../text.ts'
import { errorColumns } from '../load/attribute-column.ts'
import { UsageError } from '../usage-error.ts'
import { BrokenFile, type Entry, longestRow, mostColumns, type RowSource } from './row.ts'

/** A record as the parser found it, with its bytes in the file. */
interface CsvRecord {
  cells: string[]
  source: Buffer
  line: number
}

/**
 * Reads comma-separated values (RFC 4180) with a header line. Lines end in LF, CRLF or CR; lines without any content are skipped. A quote
 * within an unquoted cell is an ordinary character. A row with more or fewer cells than the header, with text after a closing quote, or with
 * bytes that are not UTF-8 fails alone. Throws a UsageError if the header is missing, has too many columns, or names a column twice.
 */
export async function readCsv(chunks: AsyncIterable<Buffer>): Promise<RowSource> {
  const blocks = parseRecords(chunks)
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
  first: readonly CsvRecord[],
  blocks: AsyncIterable<CsvRecord[]>,
  columns: readonly string[],
): AsyncGenerator<Entry[]> {
  let number = 0
  const rowsOf = (records: readonly CsvRecord[]) =>
    records.filter(({ cells }) => cells.some((cell) => cell !== '')).map((record) => rowOf(record, ++number, columns))
  yield rowsOf(first)
  for await (const block of blocks) yield rowsOf(block)
}

/** Parses records, those of each chunk at once. Throws a BrokenFile at a quoted cell, or a record, that does not end. */
async function* parseRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord[]> {
  const records: CsvRecord[] = []
  /** The bytes that are not parsed to their end: `bytes` from `at`, of which the first is at `offset` in the file, then `more`. */
  let bytes = Buffer.alloc(0)
  let at = 0
  let offset = 0
  let more: Buffer[] = []
  let line = 1
  const join = () => {
    if (more.length > 0) bytes = Buffer.concat([bytes.subarray(at), ...more])
    if (more.length > 0) at = 0
    more = []
  }
  /** Skips line ends and counts them. */
  const skipBlank = () => {
    for (; isLineEnd(bytes[at]); at++, offset++) if (endsLine(bytes, at)) line++
  }
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    on_record: (cells: string[], { bytes: end }) => {
      join()
      skipBlank()
      const next = at + end - offset
      let last = next
      while (isLineEnd(bytes[last - 1])) last--
      records.push({ cells, source: bytes.subarray(at, last), line })
      for (; at < next; at++) if (endsLine(bytes, at)) line++
      offset = end
    },
  })
  parser.on('error', () => {}) // the call that fails reports it
  const brokenBy = (reason: string) => {
    join()
    skipBlank()
    return new BrokenFile(reason, line)
  }
  let size = 0
  for await (const chunk of chunks) {
    more.push(chunk)
    size += chunk.length
    await new Promise<void>((resolve, reject) => parser.write(chunk, (error) => (error ? reject(error) : resolve())))
    yield records.splice(0)
    if (size - offset > longestRow) {
      throw brokenBy(`the row has more than ${longestRow} characters: a quote may be missing`)
    }
  }
  const error = await new Promise((resolve) => parser.end(resolve))
  yield records.splice(0)
  if (error) throw brokenBy('a quoted cell begins in this row and never ends')
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 10 || byte === 13
}

/** Whether a line ends with this byte: of CRLF it is the LF. */
function endsLine(bytes: Buffer, at: number): boolean {
  return bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10)
}

function rowOf({ cells, source, line }: CsvRecord, number: number, columns: readonly string[]): Entry {
  const unreadable = (reason: string, field?: string) => {
    return { number, line, field, reason, ends: false, source, found: cells }
  }
  const torn = cells.some((cell) => cell.startsWith('"')) ? rawCells(source).findIndex(({ after }) => after) : -1
  if (torn >= 0) {
    const got = 'got text behind the closing quote'
    return unreadable(`must double a quote within a quoted cell; ${got}`, columns[torn])
  }
  if (cells.length !== columns.length) {
    return unreadable(`must have ${columns.length} cells, as the header has; got ${cells.length}`)
  }
  if (!isUtf8(source)) {
    const bad = rawCells(source).findIndex(({ text }) => !isUtf8(Buffer.from(text, 'latin1')))
    const advice = 'the file may be Latin-1 or Windows-1252, save it as UTF-8'
    return unreadable(`must be UTF-8; got other bytes: ${advice}`, columns[bad])
  }
  return { number, line, size: source.length, columns, cells, source }
}

/** The cells of a record as they are in the file, a byte a character, each with the text after its closing quote. */
function rawCells(source: Buffer): { text: string; after: string }[] {
  const cells = source.toString('latin1').matchAll(/(?<=^|,)(?:"[^"]*(?:""[^"]*)*"([^,]*)|[^,]*)(?:,|$)/g)
  return [...cells].map(([text, after = '']) => ({ text, after }))
}

function columnsOf({ cells, source }: CsvRecord): string[] {
  if (!isUtf8(source)) throw new UsageError('the header line must be UTF-8: save the file as UTF-8')
  if (source.includes(0)) {
    throw new UsageError('the header line has NUL in it: the file may be UTF-16, save it as UTF-8')
  }
  if (cells.length > mostColumns) {
    throw new UsageError(`the file must have at most ${mostColumns} columns; got ${cells.length}`)
  }
  const known = new Set<string>()
  const repeated = new Set<string>()
  for (const column of cells) {
    // A report may have got its own columns twice: an import ignores them all.
    if (known.has(column) && column !== '' && !errorColumns.includes(column)) repeated.add(column)
    known.add(column)
  }
  if (repeated.size === 0) return cells
  throw new UsageError(`the header names columns twice: ${[...repeated].map(shown).join(', ')}`)
}
