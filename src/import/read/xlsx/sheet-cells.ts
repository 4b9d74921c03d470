import { shown } from '../../../text.ts'
import { maxColumns, maxRowLength } from '../limits.ts'
import { BrokenFile, type RowFault } from '../row.ts'
import { dateText, isoDateText, linkKey, type NumberFormat, noDateText, numberText, unescaped } from './cell-text.ts'
import type { pictureFinder } from './pictures.ts'
import type { Workbook } from './workbook.ts'

/** What the cells of a sheet are read with. */
export interface CellReading extends Pick<Workbook, 'textAt' | 'formats' | 'since1904' | 'links'> {
  isPicture: ReturnType<typeof pictureFinder>
  /** How many formulas show another text than the URL of their link, beyond those in `links`. */
  moreLinks: number
}

/** A row of a sheet that is not empty, with the first fault of its cells. */
export interface SheetRow {
  line: number
  /** The index of the next cell, if the file does not name it. */
  next: number
  cells: string[]
  numbers: number[]
  size: number
  /** The cells of which the file does not have the value. */
  missing: number[]
  /** Numbers that the sheet shows with zeros, letters or signs that they do not have. */
  padded: { at: number; text: string }[]
  /** Whether the sheet hides it. */
  isHidden: boolean
  bad: { at: number; fault: RowFault } | undefined
}

export function emptyRow(line: number, isHidden = false): SheetRow {
  return { line, next: 0, cells: [], numbers: [], size: 0, missing: [], padded: [], isHidden, bad: undefined }
}

export interface SheetCell {
  at: number
  type: string
  style: number
  value: string
  text: string
  /** Its attributes, and its text; undefined if the cell has none. */
  formula: string | undefined
  hasValue: boolean
}

export function emptyCell(at: number, { t = 'n', s = '0' }: Readonly<Record<string, string>>): SheetCell {
  return { at, type: t, style: Number(s), value: '', text: '', formula: undefined, hasValue: false }
}

export function addCell(row: SheetRow, cell: SheetCell, reading: CellReading): void {
  const isPicture = reading.isPicture(cell.formula, cell.at, row.line)
  const found = textOf(cell, isPicture, reading)
  const { at } = cell
  row.next = at + 1
  const [, link] = hyperlink.exec(cell.formula ?? '') ?? []
  if (link !== undefined) addLink(link, found, reading)
  if (found === '') return
  if (at < 0) throw new BrokenFile('a cell has no column', row.line)
  if (at >= maxColumns) {
    const fault = { expected: `must have at most ${maxColumns} columns`, got: `a cell in column ${at + 1}` }
    row.bad ??= { at, fault }
    return
  }
  if (row.cells[at])
    row.bad ??= { at, fault: { expected: 'must come once in its row', got: `${shown(row.cells[at])} too` } }
  while (row.cells.length < at) row.cells.push('')
  const isMissing = typeof found === 'object' && found.isMissing === true
  const text = typeof found === 'string' ? found : isMissing ? '' : (found.shown ?? cell.value)
  if (isMissing) row.missing.push(at)
  row.cells[at] = text
  row.size += text.length
  checkSize(row.size, row)
  if (typeof found !== 'string') row.bad ??= { at, fault: { expected: found.expected, got: found.got } }
  else if (cell.type === 'n') {
    row.numbers.push(at)
    if (isPadded(text, reading.formats[cell.style])) row.padded.push({ at, text })
  }
}

/** A formula that shows another text than the URL that it links to. */
const hyperlink = /\bHYPERLINK\(\s*"(https?:\/\/[^"]+)"/i
const maxLinks = 100_000

/** Adds a link that a cell may show; with too many of them, that of this cell alone counts. */
function addLink(link: string, found: ReturnType<typeof textOf>, reading: CellReading): void {
  const key = linkKey(link)
  if (reading.links.size < maxLinks || reading.links.has(key)) reading.links.set(key, link)
  else if (typeof found !== 'string' || linkKey(found) !== key) reading.moreLinks++
}

export function checkSize(size: number, { line }: SheetRow): void {
  if (size > maxRowLength) throw new BrokenFile(`the row has more than ${maxRowLength} characters`, line)
}

function isPadded(text: string, format: NumberFormat | undefined): boolean {
  if (format === 'code') return true
  return typeof format === 'number' && format > 1 && text.replaceAll(/^-|\..*/g, '').length < format
}

/** What is wrong with a cell, and what the sheet shows, if that is another text than its value. */
interface BadCell extends RowFault {
  isMissing?: boolean
  shown?: string
}

function textOf(cell: SheetCell, isPicture: boolean, reading: CellReading): string | BadCell {
  const { type, style, text, formula, hasValue } = cell
  const value = type === 's' || type === 'str' ? cell.value : cell.value.trim()
  if (value === '') {
    const isEmptyText = hasValue && type === 'str' && !isPicture
    const isMissing = (formula !== undefined || isPicture) && text === '' && !isEmptyText
    return isMissing ? { expected: 'must have the result of its formula', got: 'none', isMissing } : unescaped(text)
  }
  if (type === 's')
    return reading.textAt(Number(value)) ?? { expected: 'must be a text of the file', got: 'none', isMissing: true }
  if (type === 'str' && dispImage.test(value))
    return { expected: 'must be a text', got: 'a picture in the cell', isMissing: true }
  if (type === 'str' || type === 'inlineStr') return unescaped(value)
  if (type === 'b') return value === '1' || value === 'true' ? 'true' : 'false'
  if (type === 'e') return { expected: 'must be no error', got: shown(value) }
  if (type === 'd') {
    const date = isoDateText(value, reading.formats[style], reading.since1904)
    return date ?? { expected: 'must be a date that exists', got: shown(value) }
  }
  const number = Number(value)
  if (!numberPattern.test(value) || !Number.isFinite(number)) return { expected: 'must be a number', got: shown(value) }
  // Without its style a date looks like a number.
  const format = reading.formats[style] ?? (style === 0 ? 1 : undefined)
  if (format === undefined) return { expected: 'must have a style of the file', got: `style ${style}` }
  if (format !== 'date' && format !== 'time') return longInteger.test(value) ? value : numberText(number)
  const date = dateText(number, format, reading.since1904)
  return date ?? { expected: 'must be a date that exists', got: `day ${value}`, shown: noDateText(number) }
}

/** The result of the formula with which WPS Office shows a picture in a cell. */
const dispImage = /^=DISPIMG\(/i
const numberPattern = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
/** More digits than a number of 64 bits has, which programs other than Excel write. */
const longInteger = /^-?[1-9]\d{15,}$/
