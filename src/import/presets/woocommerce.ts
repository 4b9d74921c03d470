import { shown } from '../../text.ts'
import { type Cell, type Entry, maxColumns, type Row } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'

export const statuses = { '1': 'active', '0': 'inactive', '-1': 'draft' }

/**
 * WooCommerce's product CSV: `Attribute 1 name` and `Attribute 1 value(s)` become an attribute of that name, its
 * default one named `name (default)`. A variation is a product whose `Parent` is the code of its parent, also where
 * the file has `id:7` after the row of this ID. Another `id:7` stays, with a note.
 */
export async function* namedAttributes(blocks: AsyncIterable<Entry[]>, notes: Notes): AsyncGenerator<Entry[]> {
  const codes = new Map<Cell, Cell>()
  let plan = planOf([])
  for await (const rows of blocks) {
    yield rows.map((row) => {
      if ('reason' in row) return row
      if (row.columns !== plan.columns) plan = planOf(row.columns)
      return productRow(row, plan, codes, notes)
    })
  }
}

/** Where rows with some columns have their attributes, by number, and their other cells. */
interface Plan {
  columns: readonly string[]
  attributes: readonly { number: string; nameAt: number; valueAt: number; defaultAt: number }[]
  others: readonly (readonly [column: string, at: number])[]
}

function planOf(columns: readonly string[]): Plan {
  const places = new Map(columns.map((column, at) => [column, at]))
  const numbers = new Set<string>()
  const others = [...places].filter(([column]) => {
    const [, number] = /^Attribute (\d+) (?:name|value\(s\)|visible|global|default)$/.exec(column) ?? []
    if (number !== undefined) numbers.add(number)
    return number === undefined
  })
  const at = (column: string) => places.get(column) ?? -1
  const attributes = [...numbers].map((number) => ({
    number,
    nameAt: at(`Attribute ${number} name`),
    valueAt: at(`Attribute ${number} value(s)`),
    defaultAt: at(`Attribute ${number} default`),
  }))
  return { columns, attributes, others }
}

function productRow(row: Row, { attributes, others }: Plan, codes: Map<Cell, Cell>, notes: Notes): Entry {
  const { number, line, source } = row
  const cells = new Map(others.map(([column, at]) => [column, row.cells[at] ?? '']))
  for (const { number: n, nameAt, valueAt, defaultAt } of attributes) {
    const name = row.cells[nameAt] ?? ''
    const value = row.cells[valueAt] ?? ''
    const given: [name: string, cell: Cell][] = [
      [String(name), value],
      [`${name} (default)`, row.cells[defaultAt] ?? ''],
    ]
    const filled = given.filter(([, cell]) => cell !== '')
    if (filled.length === 0) continue
    const [taken] = filled.find(([column]) => cells.has(column)) ?? []
    if (typeof name !== 'string' || name === '' || taken !== undefined) {
      const reason = `must be ${expectedName(name, taken)}; got ${shown(name)}`
      return { number, line, source, field: `Attribute ${n} name`, reason, found: row.cells }
    }
    for (const [column, cell] of filled) cells.set(column, cell)
  }
  if (cells.size > maxColumns) return { number, line, source, reason: `must have at most ${maxColumns} columns` }
  const [, parent] = /^id:(\d+)$/.exec(String(cells.get('Parent') ?? '')) ?? []
  const code = parent === undefined ? undefined : codes.get(parent)
  if (code !== undefined) cells.set('Parent', code)
  else if (parent !== undefined)
    notes.add('unknown_parent', { column: 'Parent', example: `row ${number}: id:${parent}` })
  if (cells.get('ID') && cells.get('SKU')) codes.set(cells.get('ID') ?? '', cells.get('SKU') ?? '')
  return { ...row, columns: [...cells.keys()], cells: [...cells.values()] }
}

function expectedName(name: Cell, taken: string | undefined): string {
  if (name === '') return 'there, as there is a value'
  return taken === undefined || taken === name ? 'no name of a column' : `no name with a column ${shown(taken)}`
}
