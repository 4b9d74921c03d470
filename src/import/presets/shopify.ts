import type { Cell, Entry, Fault, Row, UnreadableRow } from '../read/row.ts'
import type { Preset } from './preset.ts'

/**
 * Shopify's product CSV: a product has several rows that follow each other, with the same handle. The first has the product's columns; each may have
 * a variant and an image. They become one row: the images in the order of their positions, a list of the variants where there are several.
 */
export const shopify: Preset = {
  code: 'Handle',
  status: 'Status',
  assetColumns: ['Image Src'],
  reshape: ({ columns, rows }) => ({
    columns: columns && [...columns, variants],
    rows: joined(rows, columns?.indexOf('Handle')),
  }),
}

const variants = 'Variants'
const isOfVariant = (column: string) => /^(Option\d+ Value$|Variant |Cost per item$)/.test(column)
const isOfImage = (column: string) => /^Image (Src|Position|Alt Text)$/.test(column)
const statuses = new Map([
  ['archived', 'inactive'],
  ['unlisted', 'inactive'],
])
/** Shopify has at most 250 images and 2,048 variants of a product: more rows of one handle are no product. */
const mostRows = 5_000

type Part = Row | UnreadableRow

async function* joined(blocks: AsyncIterable<Entry[]>, handleAt: number | undefined): AsyncGenerator<Entry[]> {
  let waiting: Part[] = []
  for await (const rows of blocks) {
    const ready: Entry[] = []
    for (const row of rows) {
      const isNext = waiting.length > 0 && waiting.length < mostRows && belongs(row, waiting, handleAt)
      if (!isNext) ready.push(...productRows(waiting))
      if (isNext) waiting.push(row)
      else waiting = [row]
    }
    yield ready
  }
  yield productRows(waiting)
}

/** A row that could not be read, and whose handle is not known, is taken for one of the product before it. */
function belongs(row: Part, [first]: readonly Part[], handleAt: number | undefined): boolean {
  const handle = handleOf(row, handleAt)
  const before = first && handleOf(first, handleAt)
  if ('reason' in row && handle === undefined) return first !== undefined && !('reason' in first)
  return handle !== undefined && handle === before
}

function handleOf(row: Part, handleAt: number | undefined): Cell | undefined {
  if ('reason' in row) return (handleAt === undefined ? undefined : row.found?.[handleAt]) || undefined
  return row.cells[row.columns.indexOf('Handle')] || undefined
}

/** The row of a product; if none of its rows could be read, those rows. A row that ends the file stays the last. */
function productRows(parts: readonly Part[]): Entry[] {
  const last = parts.at(-1)
  const end = last && 'reason' in last && last.ends ? [last] : []
  const rest = end.length > 0 ? parts.slice(0, -1) : parts
  const rows = rest.filter((part): part is Row => !('reason' in part))
  if (rows.length === 0) return [...parts]
  const faults = parts.flatMap((part): Fault[] => {
    if (!('reason' in part)) return []
    if (!part.ends) return [{ field: part.field, reason: part.reason, row: part.number }]
    return [{ field: undefined, reason: 'must be whole; got a file that cannot be read after it' }]
  })
  return [productRow(rows, rest, faults), ...end]
}

function productRow(rows: readonly Row[], parts: readonly Part[], faults: Fault[]): Row {
  const [first] = rows
  if (!first) throw new Error('a product has at least one row')
  const { columns } = first
  const cells = columns.map((column, at): Cell => {
    if (column === 'Image Src') return imagesOf(rows, at, faults)
    if (isOfImage(column)) return ''
    const cell = rows.find((row) => row.cells[at] !== '')?.cells[at] ?? ''
    return column === 'Status' && typeof cell === 'string' ? (statuses.get(cell) ?? cell) : cell
  })
  const size = rows.reduce((sum, row) => sum + row.size, 0)
  const { number, line } = parts[0] ?? first
  const whole = { columns: columnsWithVariants(columns), cells: [...cells, variantsOf(rows)] }
  return { ...first, ...whole, number, line, size, rows: parts, faults }
}

const known = new WeakMap<readonly string[], readonly string[]>()

/** The same list for the same columns, so that `rowMapper` plans it once. */
function columnsWithVariants(columns: readonly string[]): readonly string[] {
  const more = known.get(columns) ?? [...columns, variants]
  known.set(columns, more)
  return more
}

/** The images in the order of their positions; then those without one, in the order of their rows. */
function imagesOf(rows: readonly Row[], at: number, faults: Fault[]): Cell {
  const images = rows
    .filter((row) => row.cells[at] !== '')
    .map((row) => ({ url: row.cells[at], position: positionOf(row, faults) }))
  return images.sort((a, b) => a.position - b.position).map(({ url }) => url)
}

function positionOf(row: Row, faults: Fault[]): number {
  const text = row.cells[row.columns.indexOf('Image Position')] || ''
  if (text === '') return Number.MAX_SAFE_INTEGER
  if (typeof text === 'string' && /^\s*\d{1,9}\s*$/.test(text)) return Number(text)
  const reason = `must be a whole number; got ${JSON.stringify(text)}`
  faults.push({ field: 'Image Position', reason, row: row.number })
  return 0
}

/** The variants of a product that has several, as a JSON list of their values in the columns of variants. */
function variantsOf(rows: readonly Row[]): string {
  const found = rows
    .map((row) =>
      row.columns.flatMap((column, i): [string, Cell][] => {
        const cell = row.cells[i] ?? ''
        return isOfVariant(column) && cell !== '' ? [[column, cell]] : []
      }),
    )
    .filter((cells) => cells.length > 0)
  return found.length > 1 ? JSON.stringify(found.map((cells) => Object.fromEntries(cells))) : ''
}
