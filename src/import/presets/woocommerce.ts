import { shown } from '../../text.ts'
import { type Cell, type Entry, maxColumns, type Row } from '../read/row.ts'

const statuses = new Map<Cell, Cell>([
  ['1', 'active'],
  ['0', 'inactive'],
  ['-1', 'draft'],
])

/**
 * WooCommerce's product CSV: `Attribute 1 name` and `Attribute 1 value(s)` become an attribute of that name, and a
 * variation is a product whose `Parent` is the code of its parent, also where the file has `id:7`.
 */
export async function* namedAttributes(blocks: AsyncIterable<Entry[]>): AsyncGenerator<Entry[]> {
  const codes = new Map<Cell, Cell>()
  for await (const rows of blocks) yield rows.map((row) => ('reason' in row ? row : productRow(row, codes)))
}

function productRow(row: Row, codes: Map<Cell, Cell>): Entry {
  const cells = new Map<string, Cell>()
  const named: [name: Cell, value: Cell][] = []
  const cellOf = (column: string) => row.cells[row.columns.indexOf(column)] ?? ''
  for (const [i, column] of row.columns.entries()) {
    const [, number, part] = /^Attribute (\d+) (name|value\(s\)|visible|global|default)$/.exec(column) ?? []
    if (number === undefined) cells.set(column, row.cells[i] ?? '')
    else if (part === 'name') named.push([row.cells[i] ?? '', cellOf(`Attribute ${number} value(s)`)])
  }
  const { number, line, source } = row
  for (const [name, value] of named) {
    if (name === '' || value === '') continue
    if (typeof name !== 'string' || cells.has(name)) {
      const reason = `must be no name of a column; got ${shown(name)}`
      return { number, line, source, field: 'Attribute 1 name', reason, found: row.cells }
    }
    cells.set(name, value)
  }
  if (cells.size > maxColumns) return { number, line, source, reason: `must have at most ${maxColumns} columns` }
  const published = cells.get('Published') ?? ''
  if (published !== '') cells.set('Published', statuses.get(published) ?? published)
  const [, parent] = /^id:(\d+)$/.exec(String(cells.get('Parent') ?? '')) ?? []
  if (parent !== undefined) cells.set('Parent', codes.get(parent) ?? `id:${parent}`)
  if (cells.get('ID') && cells.get('SKU')) codes.set(cells.get('ID') ?? '', cells.get('SKU') ?? '')
  return { ...row, columns: [...cells.keys()], cells: [...cells.values()] }
}
