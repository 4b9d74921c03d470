import type { Cell, Entry, Row } from '../read/row.ts'

const packed = 'additional_attributes'
const view = 'store_view_code'
const statuses = new Map<Cell, Cell>([
  ['1', 'active'],
  ['0', 'inactive'],
  ['2', 'inactive'],
])

/**
 * Magento's catalogue export: a row a product, and one per store view with other values, whose columns become
 * attributes `name (view)`. `additional_attributes` becomes the attributes in it. `product_online` is the status.
 */
export async function* unpacked(blocks: AsyncIterable<Entry[]>): AsyncGenerator<Entry[]> {
  for await (const rows of blocks) yield rows.map((row) => ('reason' in row ? row : productRow(row)))
}

function productRow(row: Row): Row {
  const viewCode = row.cells[row.columns.indexOf(view)] || ''
  if (viewCode !== '') {
    const viewed = (column: string) => (column === 'sku' || column === view ? column : `${column} (${viewCode})`)
    return { ...row, columns: row.columns.map(viewed) }
  }
  const more = attributesOf(row.cells[row.columns.indexOf(packed)] || '').filter(
    ([name]) => !row.columns.includes(name),
  )
  const cells = row.cells.map((cell, i) => {
    if (row.columns[i] === 'product_online') return statuses.get(cell) ?? cell
    return row.columns[i] === packed && more.length > 0 ? '' : cell
  })
  return {
    ...row,
    columns: [...row.columns, ...more.map(([name]) => name)],
    cells: [...cells, ...more.map(([, value]) => value)],
  }
}

/** `size=XS,color=Black`: a comma with no name after it belongs to the value. A cell of another form stays as it is. */
function attributesOf(cell: Cell): (readonly [name: string, value: string])[] {
  if (typeof cell !== 'string') return []
  const pairs = cell.split(/,(?=[a-z][a-z0-9_]*=)/i).map((pair) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, Math.max(at, 0)), pair.slice(at + 1)] as const
  })
  return pairs.some(([name]) => name === '') ? [] : [...new Map(pairs)]
}
