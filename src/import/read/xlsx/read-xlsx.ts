import { shown } from '../../../text.ts'
import { optionName } from '../../options.ts'
import type { Notes } from '../../report/notes.ts'
import { UsageError } from '../../usage-error.ts'
import { checkColumns, headerAgain, isHeader } from '../columns.ts'
import { type Entry, type Reading, type RowSource, sentenceOf } from '../row.ts'
import type { SheetRow } from './sheet-cells.ts'
import { sheetRows } from './sheet-rows.ts'
import { openWorkbook, type Workbook } from './workbook.ts'
import { openZip } from './zip.ts'

/** Reads a sheet of an XLSX file, whose first row has the names of the columns. Its rows are streamed. */
export async function readXlsx(chunks: AsyncIterable<Buffer>, reading: Reading): Promise<RowSource> {
  const workbook = await openWorkbook(await openZip(chunks), reading.options)
  reading.recognized.sheet = workbook.sheet
  if (workbook.other !== undefined) reading.notes.add('other_sheets', { rows: 0, example: shown(workbook.other) })
  const blocks = sheetRows(workbook, reading.notes)
  let first: SheetRow[] = []
  while (first.length === 0) {
    const block = await blocks.next()
    if (block.done) throw new UsageError(emptySheet(workbook, reading))
    first = block.value
  }
  const [header, ...rest] = first
  if (header?.bad) throw new UsageError(`the row that names the columns: ${sentenceOf(header.bad.fault)}`)
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

function emptySheet({ sheet, other }: Workbook, { options }: Reading): string {
  const advice =
    other === undefined ? '' : `; ${optionName(options, 'sheet')} names another sheet, such as ${shown(other)}`
  return `the sheet is empty: expected a row that names the columns in ${shown(sheet)}${advice}`
}

function withoutEnd(cells: readonly string[]): string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1)
}

/** What a report has in place of a value that the file does not have: an import notes it, as other errors. */
const noValue = '#N/A'

function entryOf(
  row: SheetRow,
  number: number,
  columns: readonly string[],
  numbers: ReadonlySet<string>,
  notes: Notes,
): Entry {
  const { line, cells, size, bad } = row
  for (const { at, text } of row.padded) notes.add('leading_zeros', { column: columns[at] ?? null, example: text })
  const place = { number, line, source: { value: columns.map((_column, i) => cells[i] ?? '') } }
  if (bad) {
    const value = place.source.value.map((cell, at) => (row.missing.includes(at) ? noValue : cell))
    return { ...place, source: { value }, fault: { ...bad.fault, field: columns[bad.at] }, found: cells }
  }
  // Empty cells are left out: the last one is not empty.
  if (cells.length > columns.length) {
    const expected = `must have ${columns.length} cells, as the header has`
    const fault = { expected, got: `${shown(cells.at(-1))} after them` }
    return { ...place, source: { value: cells }, fault, found: cells }
  }
  if (isHeader(place.source.value, columns)) return { ...place, fault: headerAgain, found: cells }
  return { ...place, size, columns, numbers, cells: place.source.value }
}
