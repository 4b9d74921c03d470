import type { Notes } from '../../report/notes.ts'
import { parseXml } from '../xml.ts'
import { columnIndex, isOn, linkKey } from './cell-text.ts'
import { hiddenParts } from './hidden.ts'
import { pictureFinder } from './pictures.ts'
import { addCell, type CellReading, checkSize, emptyCell, emptyRow, type SheetRow } from './sheet-cells.ts'
import { plainCharacters, plainText, skimmer } from './skimmer.ts'
import type { Workbook } from './workbook.ts'

/** The rows of a sheet that are not empty, in blocks. */
export async function* sheetRows(workbook: Workbook, notes: Notes): AsyncGenerator<SheetRow[]> {
  let rows: SheetRow[] = []
  let row = emptyRow(0)
  let cell = emptyCell(0, {})
  let into: 'value' | 'text' | 'formula' | undefined
  let phonetic = 0
  const hidden = hiddenParts(notes)
  const reading = { ...workbook, isPicture: pictureFinder(), moreLinks: 0 }
  const { links, hasDrawings } = workbook
  if (hasDrawings) notes.add('drawings', { rows: 0 })
  const endRow = () => {
    if (!row.bad && row.cells.length === 0) return
    hidden.addRow(row)
    // What remains is the URL of no cell.
    if (links.size > 0) for (const cell of row.cells) if (mayBeUrl.test(cell)) links.delete(linkKey(cell))
    rows.push(row)
  }
  const open = (tag: string, attributes: Readonly<Record<string, string>>) => {
    if (tag === 'row') row = emptyRow(Number(attributes.r ?? row.line + 1), isOn(attributes.hidden))
    else if (tag === 'c') {
      const at = attributes.r === undefined ? row.next : columnIndex(attributes.r)
      cell = emptyCell(at, attributes)
    } else if (tag === 'v') {
      into = 'value'
      cell.hasValue = true
    } else if (tag === 't') into = phonetic === 0 ? 'text' : undefined
    else if (tag === 'f') {
      into = 'formula'
      cell.formula = Object.entries(attributes).reduce((all, [name, value]) => `${all} ${name}="${value}"`, '')
    } else if (tag === 'rPh') phonetic++
    else if (tag === 'col') hidden.addColumns(attributes)
    else if (tag === 'mergeCell') notes.add('merged_cells', { example: attributes.ref ?? null })
  }
  const close = (tag: string) => {
    into = undefined
    if (tag === 'rPh') phonetic--
    else if (tag === 'c') addCell(row, cell, reading)
    else if (tag === 'row') endRow()
  }
  const text = (more: string) => {
    if (into === undefined) return
    const whole = (cell[into] ?? '') + more
    cell[into] = whole
    checkSize(whole.length, row)
  }
  const skim = skimmer('row', (all, begin) => {
    const plain = plainRow(all, begin, row.line + 1, reading)
    if (!plain) return undefined
    row = plain.row
    endRow()
    return plain.end
  })
  try {
    for await (const _part of parseXml(workbook.rows, { open, close, text, skim })) {
      if (rows.length > 0) yield rows
      rows = []
    }
    const [link] = links.values()
    if (link !== undefined) notes.add('links', { rows: links.size + reading.moreLinks, example: link })
  } catch (error) {
    if (rows.length > 0) yield rows
    throw error
  }
}

/** Most cells are not: to compare them with the links would take longer than to read them. */
const mayBeUrl = /:\/\/|[./]\p{L}/u

const attributes = String.raw`(?: [A-Za-z_][\w:.]*="[ !#-%'-;=?-\ufffd]*")*`
const lineOf = / r="([^"]*)"/
const rowStart = new RegExp(`<row(${attributes})(/?)>`, 'y')
const cellAttributes = String.raw`(?: r="([A-Z]+)\d+")?(?: s="(\d+)")?(?: t="(\w+)")?`
const cellFormula = `(<f${attributes}(?:/>|>${plainCharacters}</f>))?`
const cellValue = `(?:<v>(${plainCharacters})</v>|<is>${plainText}</is>)?`
const plainCell = new RegExp(`<c${cellAttributes}(?:/>|>${cellFormula}${cellValue}</c>)`, 'y')

/** The row that begins at an index of the text, and its end; undefined if it has more than values in its cells. */
function plainRow(all: string, begin: number, line: number, reading: CellReading) {
  rowStart.lastIndex = begin
  const start = rowStart.exec(all)
  if (!start) return undefined
  const [, attributes = '', isEmpty] = start
  const row = emptyRow(Number(lineOf.exec(attributes)?.[1] ?? line), / hidden="(1|true)"/.test(attributes))
  if (isEmpty) return { row, end: rowStart.lastIndex }
  plainCell.lastIndex = rowStart.lastIndex
  for (;;) {
    const at = plainCell.lastIndex
    const cell = plainCell.exec(all)
    if (!cell) return all.startsWith(rowEnd, at) ? { row, end: at + rowEnd.length } : undefined
    const [, column, style = '0', type = 'n', formula, value, text = ''] = cell
    const place = column === undefined ? row.next : columnIndex(column)
    const given = { type, style: Number(style), value: value ?? '', text, formula, hasValue: value !== undefined }
    addCell(row, { at: place, ...given }, reading)
  }
}

const rowEnd = '</row>'
