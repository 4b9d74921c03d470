import type { Preset } from './presets.ts'
import type { Cell, Entry, Fault, Row } from './row.ts'

/**
 * Shopify's product CSV: a product has several rows that follow each other, with the same handle. The first has the product's columns; each may have
 * a variant and an image. They become one row: the images in the order of their positions, a list of the variants where there are several.
 */
export const shopify: Preset = {
  code: 'Handle',
  status: 'Status',
  assetColumns: ['Image Src'],
  reshape: ({ columns, rows }) => ({ columns: columns && [...columns, variants], rows: joined(rows) }),
}

const variants = 'Variants'
const isOfVariant = (column: string) => /^(Option\d+ Value$|Variant |Cost per item$)/.test(column)
const isOfImage = (column: string) => /^Image (Src|Position|Alt Text)$/.test(column)
const statuses: Record<string, string> = { archived: 'inactive', unlisted: 'inactive' }
/** Shopify has at most 250 images and 2,048 variants of a product: more rows of one handle are another thing. */
const mostRows = 5_000

async function* joined(blocks: AsyncIterable<Entry[]>): AsyncGenerator<Entry[]> {
  let waiting: Row[] = []
  for await (const rows of blocks) {
    const ready: Entry[] = []
    for (const row of rows) {
      const isNext = !('reason' in row) && waiting.length < mostRows && handleOf(row) === handleOf(waiting[0])
      if (!isNext && waiting.length > 0) ready.push(productRow(waiting))
      if ('reason' in row) ready.push(row)
      if (!isNext) waiting = []
      if (!('reason' in row)) waiting.push(row)
    }
    yield ready
  }
  if (waiting.length > 0) yield [productRow(waiting)]
}

function handleOf(row: Row | undefined): Cell | undefined {
  return row?.cells[row.columns.indexOf('Handle')] || undefined
}

function productRow(rows: readonly Row[]): Row {
  const [first] = rows
  if (!first) throw new Error('a product has at least one row')
  const { columns } = first
  const faults: Fault[] = []
  const cells = columns.map((column, at): Cell => {
    if (column === 'Image Src') return imagesOf(rows, at, faults)
    if (isOfImage(column)) return ''
    const cell = rows.find((row) => row.cells[at] !== '')?.cells[at] ?? ''
    return column === 'Status' && typeof cell === 'string' ? (statuses[cell] ?? cell) : cell
  })
  const size = rows.reduce((sum, row) => sum + row.size, 0)
  return { ...first, columns: columnsWithVariants(columns), cells: [...cells, variantsOf(rows)], size, rows, faults }
}

const known = new WeakMap<readonly string[], readonly string[]>()

/** The same list for the same columns: what is planned for it is planned once. */
function columnsWithVariants(columns: readonly string[]): readonly string[] {
  const more = known.get(columns) ?? [...columns, variants]
  known.set(columns, more)
  return more
}

/** The images in the order of their positions; those without one in the order of their rows, behind. */
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
  faults.push({ field: 'Image Position', reason: `must be a whole number; got ${JSON.stringify(text)}` })
  return 0
}

/** The variants of a product that has several, as a JSON list of what each has in the columns of variants. */
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
