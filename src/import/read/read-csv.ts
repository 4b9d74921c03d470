import { isAscii, isUtf8 } from 'node:buffer'
import { unescapedFormula } from '../../text.ts'
import { optionName } from '../options.ts'
import { UsageError } from '../usage-error.ts'
import { recordsOf } from './bytes/bytes.ts'
import { checkColumns, headerAgain, isHeader } from './columns.ts'
import { findDelimiter, isQuoted, type ParsedRecord, recordReader } from './csv-syntax.ts'
import { maxRowLength } from './limits.ts'
import { BrokenFile, type Entry, type Reading, type RowFault, type RowSource, sentenceOf } from './row.ts'

/** A record of the file. Its texts have a character for each byte. */
interface CsvRecord extends Pick<ParsedRecord, 'cells' | 'misquoted'> {
  source: string
  isAscii: boolean
  line: number
  /** How many cells the next record has, if a backslash ends this one, and whether one ends the record before it. */
  cellsAfter: number | undefined
  isAfter: boolean
}

/**
 * Reads CSV (RFC 4180) with a header, with any separator of cells. Lines end in LF, CRLF or CR; those without content
 * are skipped. A quote in an unquoted cell is an ordinary character. A row with too many cells, text after a closing
 * quote, a line break after a backslash, or bytes not in UTF-8 fails alone; cells that a row lacks are empty. Throws a
 * UsageError if the header is missing, has too many columns or text after a closing quote, or names a column twice.
 */
export async function readCsv(bytes: AsyncIterable<Buffer>, reading: Reading): Promise<RowSource> {
  const { delimiter, chunks, skipped } = await findDelimiter(bytes, reading.options)
  reading.recognized.delimiter = delimiter
  const blocks = readRecords(chunks, delimiter, skipped === '' ? 1 : 2)
  const [header, ...first] = await firstOf(blocks)
  const columns = columnsOf(header, reading)
  let number = 0
  const rowsOf = (records: readonly CsvRecord[]) => records.map((record) => rowOf(record, ++number, columns, reading))
  async function* rows() {
    yield rowsOf(first)
    for await (const block of blocks) yield rowsOf(block)
  }
  return { columns, rows: rows() }
}

/** The first block that has records. */
async function firstOf(blocks: AsyncGenerator<CsvRecord[]>): Promise<[CsvRecord, ...CsvRecord[]]> {
  for (;;) {
    const block = await blocks.next().catch((error: unknown) => {
      throw error instanceof BrokenFile ? new UsageError(`the header line cannot be read: ${error.message}`) : error
    })
    if (block.done) throw new UsageError('the file is empty: expected a header line that names the columns')
    const [header, ...rest] = block.value
    if (header) return [header, ...rest]
  }
}

/** A cell of a row that is skipped: nothing, or the mark that ends a file of DOS. */
const isEmpty = (cell: string) => cell === '' || cell === '\x1a'

/** Reads the records that have any content. Throws a BrokenFile at a quoted cell, or a record, that does not end. */
function readRecords(chunks: AsyncIterable<Buffer>, delimiter: string, firstLine: number): AsyncGenerator<CsvRecord[]> {
  const recordAt = recordReader(delimiter)
  let line = firstLine
  let isAfter = false
  return recordsOf(chunks, (bytes, isLast) => {
    const text = bytes.toString('latin1')
    const ofAscii = isAscii(bytes)
    const records: CsvRecord[] = []
    let used = 0
    for (let record = recordAt(text, 0, isLast); record; record = recordAt(text, used, isLast)) {
      const { cells, misquoted, begin, end, next } = record
      if (end - used > maxRowLength) break
      const source = text.slice(begin, end)
      const isCut = source.endsWith('\\')
      const following = isCut ? recordAt(text, next, isLast) : undefined
      if (isCut && !following && !isLast) break
      const cellsAfter = following?.cells.length
      if (!cells.every(isEmpty)) records.push({ cells, source, isAscii: ofAscii, line, misquoted, cellsAfter, isAfter })
      isAfter = isCut
      line += 1 + lineEndsIn(source)
      used = next
    }
    const rest = text.length - used
    if (rest > maxRowLength) {
      const reason = `the row has more than ${maxRowLength} characters: a quote may be missing`
      return { records, used, broken: new BrokenFile(reason, line) }
    }
    const isOpen = isLast && rest > 0
    const reason = 'a quoted cell begins in this row and never ends'
    return { records, used, broken: isOpen ? new BrokenFile(reason, line) : undefined }
  })
}

/** Most records have none, which the first tests find fastest. */
function lineEndsIn(source: string): number {
  return source.includes('\n') || source.includes('\r') ? (source.match(/\r\n?|\n/g)?.length ?? 0) : 0
}

/** What is wrong with the form of a record: with its quotes, line breaks, or number of cells. */
function faultOf(
  { cells, misquoted, cellsAfter, isAfter }: CsvRecord,
  columns: readonly string[],
): RowFault | undefined {
  if (misquoted) return { ...misquoted.fault, field: columns[misquoted.at] }
  const { length } = columns
  const isShort = cells.length < length
  if ((isShort && isAfter) || (cellsAfter !== undefined && (isShort || cellsAfter < length))) {
    return { expected: 'must quote a cell with a line break', got: 'a backslash before one' }
  }
  const isLong = cells.length > length && cells.slice(length).some((cell) => cell !== '')
  if (!isLong) return undefined
  return { expected: `must have ${length} cells, as the header has`, got: String(cells.length) }
}

function rowOf(
  record: CsvRecord,
  number: number,
  columns: readonly string[],
  { options: { unescapeFormulas }, recognized: { encoding = 'UTF-8' }, notes }: Reading,
): Entry {
  const { cells, source, line } = record
  const decodedCells = record.isAscii ? cells : cells.map(decoded)
  const mayBeEscaped = source.includes("'") || source.includes('="')
  const texts = mayBeEscaped ? decodedCells.map((cell, at) => unescaped(cell, columns[at])) : decodedCells
  function unescaped(cell: string | undefined, column: string | null = null) {
    const text = cell === undefined ? undefined : unescapedFormula(cell)
    if (cell === undefined || text === undefined) return cell
    if (unescapeFormulas) return text
    notes.add('escaped_formulas', { column, example: cell })
    return cell
  }
  const unreadable = (fault: RowFault) => {
    return { number, line, fault, source, found: texts.map((text, i) => text ?? cells[i] ?? '') }
  }
  const fault = faultOf(record, columns)
  if (fault) return unreadable(fault)
  const bad = (texts as unknown[]).indexOf(undefined)
  if (bad >= 0) return unreadable({ field: columns[bad], expected: `must be ${encoding}`, got: 'other bytes' })
  const place = { number, line, size: source.length, columns, source }
  if (isHeader(texts as string[], columns)) return unreadable(headerAgain)
  if (cells.length === columns.length) return { ...place, cells: texts as string[] }
  if (cells.length < columns.length) notes.add('short_rows', { example: `row ${number}` })
  return { ...place, cells: columns.map((_column, i) => texts[i] ?? '') }
}

const beyondAscii = /[\u0080-\u00ff]/

/** The text of bytes, one a character; undefined if they are not UTF-8. */
function decoded(cell: string): string | undefined {
  if (!beyondAscii.test(cell)) return cell
  const bytes = Buffer.from(cell, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : undefined
}

function columnsOf({ cells, source, misquoted }: CsvRecord, { options, recognized, notes }: Reading): string[] {
  const { encoding, delimiter = ',' } = recognized
  if (/^\s*(\[\s*(\{|$)|\{\s*("|$)|<\?xml)/.test(source)) {
    throw new UsageError(`the file is no CSV, but JSON, JSON Lines or XML: ${optionName(options, 'format')} names it`)
  }
  const columns = cells.map((cell, at) => {
    const text = decoded(cell)
    if (text === undefined)
      throw new UsageError(`the header line must be ${encoding}; got other bytes: save the file as UTF-8`)
    const unescaped = unescapedFormula(text)
    if (unescaped !== undefined && !options.unescapeFormulas) {
      notes.add('escaped_formulas', { column: text, rows: 0, example: 'the header' })
    }
    const column = (options.unescapeFormulas ? unescaped : undefined) ?? text
    if (column.trim() === column || isQuoted(source, at, delimiter)) return column
    notes.add('blanks_removed', { column: column.trim(), rows: 0, example: 'the header' })
    return column.trim()
  })
  if (source.includes('\0')) {
    throw new UsageError('the header line has NUL in it: the file may be UTF-16, save it as UTF-8')
  }
  if (misquoted) throw new UsageError(`column ${misquoted.at + 1} of the header line ${sentenceOf(misquoted.fault)}`)
  return checkColumns(columns)
}
