import { extname } from 'node:path'
import { messageOf } from '../../errors.ts'
import { isSpreadsheetError } from '../../text.ts'
import { type Format, formats, optionName } from '../options.ts'
import { Notes } from '../report/notes.ts'
import { UsageError } from '../usage-error.ts'
import { unpackedIfGzip } from './bytes/bytes.ts'
import { decoded } from './bytes/encoding.ts'
import { readCsv } from './read-csv.ts'
import { readJson } from './read-json.ts'
import { readJsonl } from './read-jsonl.ts'
import { readXml } from './read-xml.ts'
import { BrokenFile, type Entry, type Reading, type ReadOptions, type Reopen, type RowSource } from './row.ts'
import { readXlsx } from './xlsx/read-xlsx.ts'

/**
 * Reads a file's rows in order, unpacked, decoded and separated as its bytes say, or the options. If the file cannot be
 * read to its end, the last entry says why. Throws a UsageError if its beginning cannot be read.
 */
export async function readRows(
  input: AsyncIterable<Buffer>,
  options: ReadOptions,
  reopen?: Reopen,
): Promise<RowSource & Reading> {
  const opened = await unpackedIfGzip(input)
  requireReadable(opened.head)
  const isZip = opened.head.toString('hex', 0, 4) === '504b0304'
  const format = isZip ? 'xlsx' : (options.format ?? formatOf(options, opened.head))
  if (isZip && options.format !== undefined && options.format !== 'xlsx') {
    throw new UsageError(`${optionName(options, 'format')} must be xlsx or left out: the file is a ZIP archive`)
  }
  const reading: Reading = { options, recognized: { format }, notes: new Notes() }
  const unused = unusedOptions(options, format)
  if (unused.length > 0) reading.notes.add('option_unused', { rows: 0, example: unused.join(', ') })
  const text = format === 'xlsx' ? opened.chunks : await decoded(opened, reading, reopen)
  const { columns, rows } = await readAtStart(() => readersOf[format](text, reading))
  return { ...reading, columns, rows: entriesOf(rows, reading.notes) }
}

/** The formats whose files are read by an option. */
const formatsOf: Readonly<Record<'delimiter' | 'unescapeFormulas' | 'encoding' | 'at' | 'sheet', readonly Format[]>> = {
  delimiter: ['csv'],
  unescapeFormulas: ['csv'],
  encoding: ['csv', 'jsonl', 'json', 'xml'],
  at: ['json'],
  sheet: ['xlsx'],
}

function unusedOptions(options: ReadOptions, format: Format): string[] {
  return Object.entries(formatsOf).flatMap(([key, used]) => {
    const option = key as keyof typeof formatsOf
    return options[option] && !used.includes(format) ? optionName(options, option) : []
  })
}

/** Throws a UsageError for the first bytes of what people take for a file of a format that is read. */
function requireReadable(head: Buffer): void {
  const start = head.toString('hex', 0, 4)
  if (start === 'd0cf11e0') throw new UsageError('the file is XLS, or has a password: save it as XLSX without one')
  if (start.startsWith('1f8b')) throw new UsageError('the file is packed by gzip twice: unpack it once')
  if (/^(\xef\xbb\xbf)?\s*<(!doctype html|html|table)\b/i.test(head.toString('latin1', 0, 1000)))
    throw new UsageError('the file is HTML, which some programs name .xls: save it as XLSX')
  if (head.subarray(0, 1000).includes('progid="Excel.Sheet"'))
    throw new UsageError('the file is a spreadsheet in the XML of Excel 2003: save it as XLSX')
  if (/^--[^\r\n]+\r\n([\w-]+:[^\r\n]*\r\n)*Content-Disposition:/i.test(head.toString('latin1', 0, 1000)))
    throw new UsageError('the file is a form (multipart/form-data): send the file itself as the body')
}

/** Throws a UsageError where a file breaks before its first row. */
async function readAtStart(read: () => RowSource | Promise<RowSource>): Promise<RowSource> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    throw new UsageError(error.line === undefined ? error.message : `line ${error.line}: ${error.message}`)
  }
}

const readersOf: Record<Format, (text: AsyncIterable<Buffer>, reading: Reading) => RowSource | Promise<RowSource>> = {
  csv: readCsv,
  jsonl: (text, reading) => ({ columns: undefined, rows: readJsonl(text, reading) }),
  xlsx: readXlsx,
  xml: (text, reading) => ({ columns: undefined, rows: readXml(text, reading) }),
  json: (text, reading) => ({ columns: undefined, rows: readJson(text, reading) }),
}

const formatsByEnding: Record<string, Format> = { tsv: 'csv', txt: 'csv', ndjson: 'jsonl' }

/** The format that the ending of a file's name says, that of gzip apart; of a file without a name, its first bytes. */
function formatOf({ file, style, at }: ReadOptions, head: Buffer): Format {
  if (file === '') return formatOfBytes(head, at)
  const ending = extname(file.replace(/\.gz$/i, '')).toLowerCase().slice(1)
  const format = formats.find((name) => name === ending) ?? formatsByEnding[ending]
  if (format) return format
  const option = optionName({ style }, 'format')
  throw new UsageError(`${option} must be given (${formats.join(', ')}): the extension of ${file} is none of them`)
}

/** A mark, blanks, and the first line, of bytes as characters. NULs of UTF-16 are left out before. */
const beginning = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(\S[^\n]*)(\n?)/

/** The format of a file without a name, by its beginning. `at` names a list in a JSON object. */
function formatOfBytes(head: Buffer, at: string | undefined): Format {
  const [, line = '', end = ''] = beginning.exec(head.toString('latin1').replaceAll('\0', '')) ?? []
  if (line.startsWith('<')) return 'xml'
  if (line.startsWith('[')) return 'json'
  if (!line.startsWith('{')) return 'csv'
  // An object of several lines is no row of JSON Lines.
  const isOfLines = at === undefined && (end === '' || hasWholeObject(line))
  return isOfLines ? 'jsonl' : 'json'
}

/** A text may not end: else the search would begin again at each quote in it. */
const textOrBrace = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}]/g

/** Whether the object that a line begins with ends in it, whatever follows: then each line is a row, or a bad one. */
function hasWholeObject(line: string): boolean {
  let depth = 0
  for (const [part] of line.matchAll(textOrBrace)) {
    if (part === '{') depth++
    else if (part === '}' && --depth === 0) return true
  }
  return false
}

/** What damaged cells have; a number in scientific notation ends so. */
const mayBeDamaged = /#|Err:|[Ee][+-]\d\d/
/** What may be an error of a spreadsheet in a language that is not known: it is in capital letters. */
const likelyError = /^(?:#(?:\p{L}\/\p{L}!?|[¡¿]?\p{Lu}[\p{Lu}_]*(?:\/0)? ?[!?]|#+)|Err:\d{3})$/u
/** A number that a spreadsheet has rounded: 13 digits lose the last seven. */
const rounded = /^-?\d(?:[.,]\d+)?[Ee][+-]\d\d+$/

function isDamaged(cell: string): boolean {
  return likelyError.test(cell) || isSpreadsheetError(cell) || rounded.test(cell)
}

/** Notes texts that a spreadsheet has put in the place of values. */
function noteDamage(row: Entry, notes: Notes): void {
  if ('fault' in row || (typeof row.source === 'string' && !mayBeDamaged.test(row.source))) return
  for (const [at, cell] of row.cells.entries()) {
    if (typeof cell !== 'string' || !mayBeDamaged.test(cell)) continue
    const column = row.columns[at] ?? ''
    if (!row.numbers?.has(column) && isDamaged(cell)) notes.add('damaged_values', { column, example: cell })
  }
}

/** The rows, with notes on damaged values. Where the file breaks, the last entry says why. */
async function* entriesOf(blocks: AsyncIterable<Entry[]>, notes: Notes): AsyncGenerator<Entry[]> {
  let number = 1
  try {
    for await (const rows of blocks) {
      for (const row of rows) noteDamage(row, notes)
      number = (rows.at(-1)?.number ?? number - 1) + 1
      yield rows
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const fault = { expected: messageOf(error) }
    yield [{ number, line: error instanceof BrokenFile ? error.line : undefined, fault, ends: true }]
  }
}
