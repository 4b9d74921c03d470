import { isOfReport } from '../../request/csv/attribute-column.ts'
import { isName, shown } from '../../text.ts'
import { maxColumns } from '../read/limits.ts'
import type { Cell, Entry, Row } from '../read/row.ts'
import { EditedRow } from './edited-row.ts'

const packed = 'additional_attributes'
const view = 'store_view_code'
export const statuses = { '1': 'active', '0': 'inactive', '2': 'inactive' }

/**
 * Magento's catalogue export: a row a product, and one per store view with other values, whose columns become
 * attributes `name (view)`. `additional_attributes` becomes the attributes in it, which also fill empty columns.
 */
export async function* unpacked(blocks: AsyncIterable<Entry[]>): AsyncGenerator<Entry[]> {
  // One by one: a row with columns of its own is large.
  for await (const rows of blocks) for (const row of rows) yield ['fault' in row ? row : productRow(row)]
}

function productRow(row: Row): Entry {
  const { number, line, source } = row
  const bad = (field: string, expected: string, got: string): Entry => {
    return { number, line, source, fault: { field, expected, got }, found: row.cells }
  }
  const edited = new EditedRow(row)
  const viewCode = edited.get(view)
  if (viewCode !== '' && (typeof viewCode !== 'string' || !isName(viewCode))) {
    return bad(view, 'must be a view code of at most 255 characters', shown(viewCode))
  }
  // The names of the attributes have the view; an attribute of its own would be that of the last row.
  if (viewCode !== '') edited.set(view, '')
  const pairs = edited.get(packed)
  const more = attributesOf(pairs)
  if (!more) return bad(packed, 'must have no backslash before a comma and a name', shown(pairs))
  if (more.length > 0) edited.set(packed, '')
  for (const [name, value] of more) {
    const known = edited.get(name) || value
    if (value !== '' && known !== value) {
      return bad(packed, `must give ${shown(name)} one value`, `${shown(known)} and ${shown(value)}`)
    }
    edited.set(name, known)
  }
  if (edited.size > maxColumns) return bad(packed, `must give a row at most ${maxColumns} columns`, String(edited.size))
  const { columns, cells } = edited.row()
  const images = cells.map((cell, at) =>
    typeof cell === 'string' && imageColumn.test(columns[at] ?? '') ? withoutNoImage(cell) : cell,
  )
  const product = { ...row, columns, cells: images }
  return viewCode === '' ? product : viewRow(product, viewCode)
}

/** The row of a store view, whose columns become attributes of their own. */
function viewRow(row: Row, viewCode: string): Row {
  const columns = row.columns.map((column) => (isOfProduct(column) ? column : `${column} (${viewCode})`))
  return { ...row, columns, part: viewCode, size: columns.reduce((sum, { length }) => sum + length, row.size) }
}

const isOfProduct = (column: string) => column === '' || column === 'sku' || column === view || isOfReport(column)

const imageColumn = /(^|_)images?$/
/** What a field of an image has if the product has none. */
const noImage = 'no_selection'

function withoutNoImage(cell: string): string {
  const images = cell.split(',')
  return images.some((image) => image.trim() === noImage)
    ? images.filter((image) => image.trim() !== noImage).join()
    : cell
}

const enclosed = /([a-z][a-z0-9_]*)="([^"]*(?:""[^"]*)*)"(?:,|$)/giy
/** HTML tags, whose commas are their own, and the commas between pairs. */
const tagOrComma = /<[a-z/!][^>]*>|,(?=[a-z][a-z0-9_]*=)/gi
/** It may be a part of a value, or be between two pairs. */
const escapedComma = /\\,[a-z][a-z0-9_]*=/i
const comma = /,(?=[a-z][a-z0-9_]*=)/gi

/**
 * `size=XS,color=Black`: a comma with no name after it, or in an HTML tag, belongs to the value; or all values are in
 * quotes ("Fields enclosure"). A cell of another form stays as it is. Undefined: it has two readings.
 */
function attributesOf(cell: Cell): (readonly [name: string, value: string])[] | undefined {
  if (typeof cell !== 'string') return []
  const quoted = [...cell.matchAll(enclosed)]
  if (quoted.length > 0 && quoted.reduce((length, [all]) => length + all.length, 0) === cell.length) {
    return quoted.map(([, name = '', value = '']) => [name, value.replaceAll('""', '"')] as const)
  }
  if (escapedComma.test(cell)) return undefined
  // After the last `>` there are no tags: a search for the end of each would take quadratic time.
  const tagsEnd = cell.lastIndexOf('>') + 1
  const commas = [
    ...[...cell.slice(0, tagsEnd).matchAll(tagOrComma)].filter(([all]) => all === ',').map(({ index }) => index),
    ...[...cell.slice(tagsEnd).matchAll(comma)].map(({ index }) => tagsEnd + index),
  ]
  const pairs = [-1, ...commas].map((comma, i) => {
    const pair = cell.slice(comma + 1, commas[i])
    const at = pair.indexOf('=')
    return [pair.slice(0, Math.max(at, 0)), pair.slice(at + 1)] as const
  })
  return pairs.some(([name]) => name === '') ? [] : pairs
}
