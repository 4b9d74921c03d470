import type { Cell, Entry, Row } from '../read/row.ts'
import type { Preset } from './preset.ts'

/**
 * Magento's catalogue export: one row a product, and one more for each store view with other values, whose columns become attributes named
 * `name (view)`. `additional_attributes` packs attributes into a cell: each becomes an attribute. `product_online` is the status.
 */
export const magento: Preset = {
  code: 'sku',
  status: 'product_online',
  assetColumns: ['base_image', 'additional_images'],
  reshape: ({ columns, rows }) => ({ columns, rows: unpacked(rows) }),
}

const packed = 'additional_attributes'
const view = 'store_view_code'
const statuses = new Map([
  ['1', 'active'],
  ['0', 'inactive'],
  ['2', 'inactive'],
])

async function* unpacked(blocks: AsyncIterable<Entry[]>): AsyncGenerator<Entry[]> {
  for await (const rows of blocks) yield rows.map((row) => ('reason' in row ? row : productRow(row)))
}

function productRow(row: Row): Row {
  const viewCode = row.cells[row.columns.indexOf(view)] || ''
  if (viewCode !== '') return { ...row, columns: row.columns.map((column) => viewed(column, viewCode)) }
  const at = row.columns.indexOf(packed)
  const columns = new Set(row.columns)
  const more = Object.entries(attributesOf(row.cells[at] || '')).filter(([name]) => !columns.has(name))
  const cells = row.cells.map((cell, i) => (row.columns[i] === 'product_online' ? statusOf(cell) : cell))
  if (more.length === 0) return { ...row, cells }
  return {
    ...row,
    columns: [...row.columns, ...more.map(([name]) => name)],
    cells: [...cells.map((cell, i) => (i === at ? '' : cell)), ...more.map(([, value]) => value)],
  }
}

function viewed(column: string, viewCode: Cell): string {
  return column === 'sku' || column === view ? column : `${column} (${viewCode})`
}

function statusOf(cell: Cell): Cell {
  return typeof cell === 'string' ? (statuses.get(cell) ?? cell) : cell
}

/** `size=XS,color=Black`: a comma without a name after it belongs to the value. */
function attributesOf(cell: Cell): Record<string, string> {
  if (typeof cell !== 'string' || cell === '') return {}
  const pairs = cell.split(/,(?=[a-z][a-z0-9_]*=)/i).map((pair) => {
    const at = pair.indexOf('=')
    return at < 1 ? undefined : ([pair.slice(0, at), pair.slice(at + 1)] as const)
  })
  // A cell of another form stays as it is.
  return pairs.includes(undefined) ? {} : Object.fromEntries(pairs.filter((pair) => pair !== undefined))
}
