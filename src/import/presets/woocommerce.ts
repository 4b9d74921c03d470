import { shown } from '../../text.ts'
import { maxColumns } from '../read/limits.ts'
import type { Cell, Entry, Row } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'
import { EditedRow } from './edited-row.ts'

export const statuses = { '1': 'active', '0': 'inactive', '-1': 'draft' }

/**
 * WooCommerce's product CSV: `Attribute 1 name` and `Attribute 1 value(s)` become an attribute of that name, its
 * default one named `name (default)`. A variation is a product whose `Parent` is the code of its parent, also where
 * the file has `id:7` after the row of this ID. Another `id:7` stays, with a note.
 */
export async function* namedAttributes(blocks: AsyncIterable<Entry[]>, notes: Notes): AsyncGenerator<Entry[]> {
  const codes = new Map<Cell, Cell>()
  let known = { columns: [] as readonly string[], attributes: attributesIn([]) }
  for await (const rows of blocks) {
    yield rows.map((row) => {
      if ('fault' in row) return row
      if (row.columns !== known.columns) known = { columns: row.columns, attributes: attributesIn(row.columns) }
      return productRow(row, known.attributes, codes, notes)
    })
  }
}

/** The columns of attributes, by their numbers. */
function attributesIn(columns: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const numberOf = (column: string) =>
    /^Attribute (\d+) (?:name|value\(s\)|visible|global|default)$/.exec(column)?.[1] ?? ''
  const byNumber = Map.groupBy(columns, numberOf)
  byNumber.delete('')
  return byNumber
}

function productRow(
  row: Row,
  attributes: ReturnType<typeof attributesIn>,
  codes: Map<Cell, Cell>,
  notes: Notes,
): Entry {
  const { number, line, source } = row
  const edited = new EditedRow(row)
  const given = Array.from(attributes, ([n, columns]) => {
    const cellOf = (part: string) => edited.get(`Attribute ${n} ${part}`)
    const name = cellOf('name')
    const cells = [[String(name), cellOf('value(s)')] as const, [`${name} (default)`, cellOf('default')] as const]
    for (const column of columns) edited.drop(column)
    return { n, name, cells }
  })
  for (const { n, name, cells } of given) {
    const filled = cells.filter(([, cell]) => cell !== '')
    if (filled.length === 0) continue
    const [taken] = filled.find(([column]) => edited.has(column)) ?? []
    if (typeof name !== 'string' || name === '' || taken !== undefined) {
      const expected = `must be ${expectedName(name, taken)}`
      const fault = { field: `Attribute ${n} name`, expected, got: shown(name) }
      return { number, line, source, fault, found: row.cells }
    }
    for (const [column, cell] of filled) edited.set(column, cell)
  }
  // The export escapes commas in values; those of texts stay as they are.
  const images = edited.get('Images')
  if (typeof images === 'string' && images.includes('\\,')) edited.set('Images', images.replaceAll('\\,', ','))
  if (edited.size > maxColumns)
    return { number, line, source, fault: { expected: `must have at most ${maxColumns} columns` } }
  const [, parent] = /^id:(\d+)$/.exec(String(edited.get('Parent'))) ?? []
  const code = parent === undefined ? undefined : codes.get(parent)
  if (code !== undefined) edited.set('Parent', code)
  else if (parent !== undefined)
    notes.add('unknown_parent', { column: 'Parent', example: `row ${number}: id:${parent}` })
  if (edited.get('ID') && edited.get('SKU')) codes.set(edited.get('ID'), edited.get('SKU'))
  return edited.row()
}

function expectedName(name: Cell, taken: string | undefined): string {
  if (name === '') return 'there, as there is a value'
  return taken === undefined || taken === name ? 'no name of a column' : `no name with a column ${shown(taken)}`
}
