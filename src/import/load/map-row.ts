import { LRUCache } from 'lru-cache'
import type { LoadedProduct } from '../../catalogue/products/load-products.ts'
import { isName, shown } from '../../text.ts'
import { type ImportRequest, optionName } from '../options.ts'
import { type Cell, type Entry, type Fault, maxUrls, type RowPosition, type Source } from '../read/row.ts'
import { assetUrls } from './asset-urls.ts'
import type { Layout } from './layout.ts'

/** The product and the assets of a row, and its faults. Many rows are in memory, so each is small. */
export interface MappedRow extends RowPosition {
  size: number
  source: Source | undefined
  /** The rows of the file that it represents, if a preset has joined those of a product. */
  rows: readonly Entry[] | undefined
  code: string | undefined
  /** Undefined if the row's product cannot be imported. */
  product: MappedProduct | undefined
  /** All of the row's assets in their order; none if one of them is bad, as the next would take its place. */
  assets: readonly MappedAsset[]
  faults: Fault[]
}

export type MappedProduct = Pick<LoadedProduct, 'status' | 'names' | 'values'>

interface MappedAsset {
  assetFormat: string
  url: string
}

export interface FailedRow {
  row: MappedRow
  faults: readonly Fault[]
}

/** The rows of the file that a mapped row represents. */
export function rowsOf(row: MappedRow): readonly Pick<Entry, 'number' | 'line' | 'source'>[] {
  return row.rows ?? [row]
}

/** What to do with the cells of rows that have the same columns. Numbers are indexes of cells. */
interface Plan {
  code: number
  status: number
  attributes: readonly { at: number; column: string; name: string }[]
  names: readonly string[]
  /** Whether several columns may give one attribute. */
  isAmbiguous: boolean
  assets: readonly { at: number; column: string; separator: string | undefined; assetFormat: string }[]
}

/** A mapper of rows for a request and the layout of its file. */
export function rowMapper(request: ImportRequest, layout: Layout): (row: Entry) => MappedRow {
  const plans = new LRUCache<string, Plan>({ maxSize: 20_000, sizeCalculation: ({ names }) => names.length + 1 })
  let last: { columns: readonly string[]; plan: Plan } | undefined
  const planOf = (columns: readonly string[]) => {
    if (last?.columns === columns) return last.plan
    const key = JSON.stringify(columns)
    const plan = plans.get(key) ?? planFor(columns, request, layout)
    plans.set(key, plan)
    last = { columns, plan }
    return plan
  }
  const base = { base: request.assetBase, baseOption: optionName(request, 'assetBase') }
  return (row) => {
    const { number, line, source } = row
    const nothing = { number, line, size: 0, source, rows: undefined, code: undefined, product: undefined, assets: [] }
    if ('reason' in row) return { ...nothing, faults: [{ field: row.field, reason: row.reason }] }
    const { cells, size, rows } = row
    const plan = planOf(row.columns)
    const code = cells[plan.code] ?? ''
    const faults: Fault[] = [...(row.faults ?? [])]
    if (typeof code !== 'string' || !isName(code)) {
      const reason = `must be a product code of 1 to 255 characters, without NUL and lone surrogates; got ${shown(code)}`
      return { ...nothing, size, rows, faults: [{ field: layout.code, reason }, ...faults] }
    }
    const mapped = productOf(cells, plan, faults)
    const product = faults.length === 0 ? mapped : undefined
    const assets = assetsOf(cells, plan.assets, base, faults)
    return { number, line, size, source, rows, code, product, assets: faults.length === 0 ? assets : [], faults }
  }
}

function planFor(columns: readonly string[], request: ImportRequest, layout: Layout): Plan {
  const indexes = new Map(columns.map((column, at) => [column, at]))
  const attributes = columns.flatMap((column, at) => {
    const name = layout.attributeOf(column)
    return name === undefined ? [] : [{ at, column, name }]
  })
  const names = attributes.map(({ name }) => name)
  const placed = columns.flatMap((column, at) => {
    const place = layout.urlPlaceOf(column)
    return place ? [{ at, column, separator: undefined, ...place }] : []
  })
  const separator = request.assetSeparator
  const named = [...new Set(request.assets)].flatMap((column) => {
    const at = indexes.get(column)
    return at === undefined ? [] : [{ at, column, separator, assetFormat: 'image' }]
  })
  return {
    code: indexes.get(layout.code) ?? -1,
    status: indexes.get(layout.status) ?? -1,
    attributes,
    names,
    isAmbiguous: new Set(names).size < names.length,
    assets: [...placed.sort((a, b) => a.position - b.position), ...named],
  }
}

function productOf(cells: readonly Cell[], plan: Plan, faults: Fault[]): MappedProduct {
  const filled = plan.attributes.filter(({ at }) => cells[at] !== '')
  const seen = new Set<string>()
  for (const { column, name } of plan.isAmbiguous ? filled : []) {
    if (seen.has(name)) addFault(faults, { field: column, reason: `${name} comes from two columns` })
    seen.add(name)
  }
  return {
    status: textOf(cells[plan.status] ?? '', '', faults) || null,
    names: filled.length === plan.names.length ? plan.names : filled.map(({ name }) => name),
    values: filled.map(({ at, column }) => textOf(cells[at] ?? '', column, faults)),
  }
}

function assetsOf(
  cells: readonly Cell[],
  columns: Plan['assets'],
  base: { base: string | undefined; baseOption: string },
  faults: Fault[],
) {
  const assets: MappedAsset[] = []
  for (const { at, column, separator, assetFormat } of columns) {
    const cell = cells[at] ?? ''
    const urls = cell === '' ? undefined : attempt(column, faults, () => assetUrls(cell, { separator, ...base }))
    for (const url of urls ?? []) assets.push({ assetFormat, url })
    if (assets.length > maxUrls)
      addFault(faults, { field: column, reason: `must have at most ${maxUrls} URLs in a row` })
    if (assets.length > maxUrls || faults.length >= maxFaults) break
  }
  return assets
}

function textOf(cell: Cell, column: string, faults: Fault[]): string {
  return typeof cell === 'string' ? cell : (attempt(column, faults, () => JSON.stringify(cell)) ?? '')
}

/** The work's result; if the cell does not allow it, a fault of its column. */
function attempt<T>(column: string, faults: Fault[], work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) addFault(faults, { field: column, reason: 'is nested too deeply' })
    else if (error instanceof TypeError) addFault(faults, { field: column, reason: error.message })
    else throw error
    return undefined
  }
}

/** The faults of a row that are reported: a short row of many columns may have thousands. */
export const maxFaults = 20

function addFault(faults: Fault[], fault: Fault): void {
  if (faults.length < maxFaults) faults.push(fault)
}
