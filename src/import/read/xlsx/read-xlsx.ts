import { shown } from '../../../text.ts'
import type { Notes } from '../../report/notes.ts'
import { UsageError } from '../../usage-error.ts'
import { checkColumns } from '../columns.ts'
import { BrokenFile, type Entry, maxColumns, maxRowLength, type Reading, type RowSource } from '../row.ts'
import { parseXml } from '../xml.ts'
import { columnIndex, dateText, type NumberFormat, numberText, unescaped } from './cell-text.ts'
import { openWorkbook, type Workbook } from './workbook.ts'
import { openZip } from './zip.ts'

/** A row of a sheet that is not empty, with the first fault of its cells. */
interface SheetRow {
  line: number
  /** The index of the next cell, if the file does not name it. */
  next: number
  cells: string[]
  numbers: number[]
  size: number
  /** Numbers that the sheet shows with more zeros before them. */
  padded: { at: number; text: string }[]
  fault: { at: number; reason: string } | undefined
}

/** Reads a sheet of an XLSX file, whose first row has the names of the columns. Its rows are streamed. */
export async function readXlsx(chunks: AsyncIterable<Buffer>, reading: Reading): Promise<RowSource> {
  const opening = openZip(chunks).then((zip) => openWorkbook(zip, reading.sheet, reading.sheetOption))
  const workbook = await opening.catch((error: unknown) => {
    throw error instanceof BrokenFile ? new UsageError(error.message) : error
  })
  reading.recognized.sheet = workbook.sheet
  const blocks = sheetRows(workbook, reading.notes)
  let first: SheetRow[] = []
  while (first.length === 0) {
    const block = await blocks.next()
    if (block.done) throw new UsageError('the sheet is empty: expected a row that names the columns')
    first = block.value
  }
  const [header, ...rest] = first
  if (header?.fault) throw new UsageError(`the row that names the columns: ${header.fault.reason}`)
  const columns = checkColumns(withoutEnd(header?.cells ?? []))
  let number = 0
  /** Most rows have numbers in the same columns, and share the set of them. */
  let last = { at: [] as readonly number[], numbers: new Set<string>() }
  const numbersOf = (at: readonly number[]) => {
    const isSame = at.length === last.at.length && at.every((index, i) => index === last.at[i])
    if (!isSame) last = { at, numbers: new Set(at.map((index) => columns[index] ?? '')) }
    return last.numbers
  }
  const rowsOf = (rows: readonly SheetRow[]) =>
    rows.map((row) => entryOf(row, ++number, columns, numbersOf(row.numbers), reading.notes))
  async function* rows() {
    yield rowsOf(rest)
    for await (const block of blocks) yield rowsOf(block)
  }
  return { columns, rows: rows() }
}

function withoutEnd(cells: readonly string[]): string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1)
}

function entryOf(
  row: SheetRow,
  number: number,
  columns: readonly string[],
  numbers: ReadonlySet<string>,
  notes: Notes,
): Entry {
  const { line, cells, size, fault } = row
  for (const { at, text } of row.padded) notes.add('leading_zeros', { column: columns[at] ?? null, example: text })
  const place = { number, line, source: { value: columns.map((_column, i) => cells[i] ?? '') } }
  if (fault) return { ...place, field: columns[fault.at], reason: fault.reason, found: cells }
  // Empty cells are left out: the last one is not empty.
  if (cells.length > columns.length) {
    const reason = `must have ${columns.length} cells, as the header has; got ${shown(cells.at(-1))} after them`
    return { ...place, source: { value: cells }, reason, found: cells }
  }
  return { ...place, size, columns, numbers, cells: place.source.value }
}

async function* sheetRows(workbook: Workbook, notes: Notes): AsyncGenerator<SheetRow[]> {
  let rows: SheetRow[] = []
  let row = emptyRow(0)
  let cell = emptyCell(0, {})
  let into: 'value' | 'text' | undefined
  let phonetic = 0
  const open = (tag: string, attributes: Readonly<Record<string, string>>) => {
    if (tag === 'row') row = emptyRow(Number(attributes.r ?? row.line + 1))
    else if (tag === 'c') {
      const at = attributes.r === undefined ? row.next : columnIndex(attributes.r)
      cell = emptyCell(at, attributes)
    } else if (tag === 'v') {
      into = 'value'
      cell.hasValue = true
    } else if (tag === 't') into = phonetic === 0 ? 'text' : undefined
    else if (tag === 'f') cell.hasFormula = true
    else if (tag === 'rPh') phonetic++
    else if (tag === 'mergeCell') notes.add('merged_cells', { example: attributes.ref ?? null })
  }
  const close = (tag: string) => {
    into = undefined
    if (tag === 'rPh') phonetic--
    else if (tag === 'c') addCell(row, cell, workbook)
    else if (tag === 'row' && (row.fault || row.cells.length > 0)) rows.push(row)
  }
  const text = (more: string) => {
    if (into === undefined) return
    cell[into] += more
    checkSize(cell[into].length, row)
  }
  try {
    for await (const _part of parseXml(workbook.rows, { open, close, text })) {
      if (rows.length > 0) yield rows
      rows = []
    }
  } catch (error) {
    if (rows.length > 0) yield rows
    throw error
  }
}

function emptyRow(line: number): SheetRow {
  return { line, next: 0, cells: [], numbers: [], size: 0, padded: [], fault: undefined }
}

interface SheetCell {
  at: number
  type: string
  style: number
  value: string
  text: string
  hasFormula: boolean
  hasValue: boolean
}

function emptyCell(at: number, { t = 'n', s = '0' }: Readonly<Record<string, string>>): SheetCell {
  return { at, type: t, style: Number(s), value: '', text: '', hasFormula: false, hasValue: false }
}

function addCell(row: SheetRow, cell: SheetCell, workbook: Workbook): void {
  const found = textOf(cell, workbook)
  const { at } = cell
  row.next = at + 1
  if (found === '') return
  if (at < 0) throw new BrokenFile('a cell has no column', row.line)
  if (at >= maxColumns) {
    row.fault ??= { at, reason: `must have at most ${maxColumns} columns; got a cell in column ${at + 1}` }
    return
  }
  if (row.cells[at]) row.fault ??= { at, reason: `must come once in its row; got ${shown(row.cells[at])} too` }
  while (row.cells.length < at) row.cells.push('')
  const text = typeof found === 'string' ? found : cell.value
  row.cells[at] = text
  row.size += text.length
  checkSize(row.size, row)
  if (typeof found !== 'string') row.fault ??= { at, ...found }
  else if (cell.type === 'n') {
    row.numbers.push(at)
    if (isPadded(text, workbook.formats[cell.style])) row.padded.push({ at, text })
  }
}

function checkSize(size: number, { line }: SheetRow): void {
  if (size > maxRowLength) throw new BrokenFile(`the row has more than ${maxRowLength} characters`, line)
}

function isPadded(text: string, format: NumberFormat | undefined): boolean {
  return typeof format === 'number' && format > 1 && text.replaceAll(/^-|\..*/g, '').length < format
}

function textOf(cell: SheetCell, workbook: Workbook): string | { reason: string } {
  const { type, style, text, hasFormula, hasValue } = cell
  const value = type === 's' || type === 'str' ? cell.value : cell.value.trim()
  if (value === '') {
    const isMissing = hasFormula && text === '' && !(hasValue && type === 'str')
    return isMissing ? { reason: 'must have the result of its formula; got none' } : unescaped(text)
  }
  if (type === 's') return workbook.textAt(Number(value)) ?? { reason: 'must be a text of the file; got none' }
  if (type === 'str' || type === 'inlineStr') return unescaped(value)
  if (type === 'b') return value === '1' || value === 'true' ? 'true' : 'false'
  if (type === 'e') return { reason: `must be no error; got ${shown(value)}` }
  if (type === 'd') return value.replace(/T00:00:00(\.0+)?$/, '').replace(/\.\d+$/, '')
  const number = Number(value)
  if (!numberPattern.test(value) || !Number.isFinite(number)) return { reason: `must be a number; got ${shown(value)}` }
  const format = workbook.formats[style] ?? 1
  if (typeof format === 'number') return longInteger.test(value) ? value : numberText(number)
  return dateText(number, format, workbook.since1904) ?? { reason: `must be a date that exists; got day ${value}` }
}

const numberPattern = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
/** More digits than a number of 64 bits has, which programs other than Excel write. */
const longInteger = /^-?[1-9]\d{15,}$/
