import { isOfReport } from '../../request/csv/attribute-column.ts'
import { maxColumns } from '../read/limits.ts'
import type { Cell, Entry, Reading, Row, RowFault, RowSource } from '../read/row.ts'
import type { Notes } from '../report/notes.ts'
import { altColumns, imageColumns, imagesOf, indexOf, positionColumns } from './shopify-images.ts'

const variants = 'Variants'
/** The names of columns, in exports until 2025 and since. */
export const handleColumns = ['Handle', 'URL handle']
/** What is no value of a variant. */
const others = new Set([...handleColumns, ...imageColumns, ...positionColumns, ...altColumns])
const variantPattern = new RegExp(
  '^(Option\\d+ value$|Variant |(Cost per item|SKU|Barcode|Price|Compare[- ]at price|Charge tax|Tax code|Unit price .*|' +
    'Inventory (tracker|quantity)|Continue selling when out of stock|Weight .*|Requires shipping|Fulfillment service)' +
    '( / .*)?$)',
  'i',
)
export const statuses = { archived: 'inactive', unlisted: 'inactive' }
/** Shopify has at most 250 images and 2,048 variants of a product: more rows of one handle are no product. */
const maxRows = 5_000

/**
 * Shopify's product CSV: consecutive rows with one handle are a product. The first has the product's columns; each may
 * have a variant and an image. They become one row: the images in order of position, several variants as a list.
 */
export function joined(
  { columns, rows, notes }: RowSource & Pick<Reading, 'notes'>,
  assets: readonly string[],
): RowSource {
  const joining = { handleAt: indexOf(columns ?? [], handleColumns), seen: new Set<string>(), assets, notes }
  return { columns: columns && [...columns, variants], rows: joinedRows(rows, joining) }
}

interface Joining {
  /** The index of the handle in rows that could not be read. */
  handleAt: number
  /** The handles of the products so far. */
  seen: Set<string>
  /** The columns that options name as those of images. */
  assets: readonly string[]
  notes: Notes
}

async function* joinedRows(blocks: AsyncIterable<Entry[]>, joining: Joining): AsyncGenerator<Entry[]> {
  let waiting: Entry[] = []
  for await (const rows of blocks) {
    const ready: Entry[] = []
    for (const row of rows) {
      const [first] = waiting
      if (first && waiting.length < maxRows && belongs(row, first, joining.handleAt)) waiting.push(row)
      else {
        ready.push(...productRows(waiting, joining))
        waiting = [row]
      }
    }
    yield ready
  }
  yield productRows(waiting, joining)
}

/** A row that could not be read, and whose handle is not known, is taken for one of the product before it. */
function belongs(row: Entry, first: Entry, handleAt: number): boolean {
  const handle = handleOf(row, handleAt)
  if ('fault' in row && handle === undefined) return !('fault' in first)
  return handle !== undefined && handle === handleOf(first, handleAt)
}

function handleOf(row: Entry, handleAt: number): Cell | undefined {
  const cell = 'fault' in row ? row.found?.[handleAt] : row.cells[indexOf(row.columns, handleColumns)]
  return (typeof cell === 'string' ? cell.trim() : cell) || undefined
}

/** The row of a product; if none of its rows could be read, those rows. A row that ends the file stays the last. */
function productRows(parts: readonly Entry[], joining: Joining): Entry[] {
  const { handleAt, seen } = joining
  const rows = parts.filter((part): part is Row => !('fault' in part))
  const [first] = rows
  if (!first) return [...parts]
  const faults = parts.flatMap((part): RowFault[] => {
    if (!('fault' in part)) return []
    if (!part.ends) return [{ ...part.fault, row: part.number }]
    return [{ expected: 'must be complete', got: 'a file that is unreadable after this row' }]
  })
  const handle = String(handleOf(first, handleAt) ?? '')
  if (seen.has(handle)) {
    const expected = 'rows of a handle must follow each other: sort the file by Handle'
    faults.push({ field: first.columns[indexOf(first.columns, handleColumns)], expected, row: first.number })
  }
  if (handle !== '') seen.add(handle)
  const end = parts.filter((part) => 'fault' in part && part.ends)
  const rest = parts.slice(0, parts.length - end.length)
  const { number, line } = rest[0] ?? first
  return [{ ...productRow(rows, first, faults, joining), number, line, rows: rest, faults }, ...end]
}

/** The name of a column, or its index if it has none. */
type Key = string | number

/** A value that a column has in a row of a product. */
interface Value {
  row: Row
  cell: Cell
}

/** Joins the rows of a product to one row; adds its faults to the list. */
function productRow(rows: readonly Row[], first: Row, faults: RowFault[], { assets, notes }: Joining): Row {
  const values = new Map<Key, Value[]>()
  for (const row of rows) {
    for (const [at, column] of row.columns.entries()) {
      const key = column === '' ? at : column
      const found = values.get(key) ?? []
      values.set(key, found)
      const cell = row.cells[at] ?? ''
      if (cell !== '') found.push({ row, cell })
    }
  }
  if (values.size > maxColumns) faults.push({ expected: `must have at most ${maxColumns} columns` })
  const { urls, alt } = imagesOf(rows, faults, notes)
  const columns = [...values.keys()].map((key) => (typeof key === 'number' ? '' : key))
  const cells = [...values.values()].map((found, i): Cell => {
    const column = columns[i] ?? ''
    if (imageColumns.includes(column)) return urls
    if (assets.includes(column) && found.length > 1) return found.flatMap(({ cell }) => cell)
    if (altColumns.includes(column) && found.length > 0) return alt
    return positionColumns.includes(column) ? '' : (found[0]?.cell ?? '')
  })
  const size = rows.reduce((sum, row) => sum + row.size, 0)
  return { ...first, columns: [...columns, variants], cells: [...cells, variantsOf(rows, values)], size }
}

/**
 * The variants of a product that has several, as a JSON list of their values in the columns of variants and in those
 * that differ.
 */
function variantsOf(rows: readonly Row[], values: ReadonlyMap<Key, readonly Value[]>): string {
  const columns = new Set<string>()
  for (const [column, found] of values) {
    if (typeof column === 'number') continue
    const isOther = others.has(column) || isOfReport(column)
    if (variantPattern.test(column) || (!isOther && areDifferent(found))) columns.add(column)
  }
  const found = rows.map((row) =>
    row.columns.flatMap((column, at) =>
      columns.has(column) && row.cells[at] ? [[column, row.cells[at]] as const] : [],
    ),
  )
  const filled = found.filter((cells) => cells.length > 0)
  return filled.length > 1 ? JSON.stringify(filled.map((cells) => Object.fromEntries(cells))) : ''
}

function areDifferent(found: readonly Value[]): boolean {
  const first = JSON.stringify(found[0]?.cell)
  return found.some(({ cell }) => JSON.stringify(cell) !== first)
}
