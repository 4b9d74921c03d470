import { LRUCache } from 'lru-cache'
import type { LoadedProduct } from '../../catalogue/products/load-products.ts'
import { isName, shown } from '../../text.ts'
import type { ImportRequest } from '../options.ts'
import type { Cell, Entry, Fault, Place, Source } from '../read/row.ts'
import { assetUrls } from './asset-urls.ts'
import type { Layout } from './layout.ts'

/** What a row brings into the catalogue, and what is wrong with it. Many are in memory: each holds little. */
export interface MappedRow extends Place {
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
  /** `others` are the columns before it that have the same name. */
  attributes: readonly { at: number; column: string; name: string; others: readonly number[] }[]
  names: readonly string[]
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
    const assets = assetsOf(cells, plan.assets, request.assetBase, faults)
    return { number, line, size, source, rows, code, product, assets: faults.length === 0 ? assets : [], faults }
  }
}

function planFor(columns: readonly string[], request: ImportRequest, layout: Layout): Plan {
  const indexes = new Map(columns.map((column, at) => [column, at]))
  const byName = new Map<string, number[]>()
  const attributes = columns.flatMap((column, at) => {
    const name = layout.attributeOf(column)
    if (name === undefined) return []
    const others = byName.get(name) ?? []
    byName.set(name, [...others, at])
    return [{ at, column, name, others }]
  })
  const placed = columns.flatMap((column, at) => {
    const place = layout.urlPlaceOf(column)
    return place ? [{ at, column, separator: undefined, ...place }] : []
  })
  const separator = request.assetSeparator
  const named = request.assets.flatMap((column) => {
    const at = indexes.get(column)
    return at === undefined ? [] : [{ at, column, separator, assetFormat: 'image' }]
  })
  return {
    code: indexes.get(layout.code) ?? -1,
    status: indexes.get(layout.status) ?? -1,
    attributes,
    names: attributes.map(({ name }) => name),
    assets: [...placed.sort((a, b) => a.position - b.position), ...named],
  }
}

function productOf(cells: readonly Cell[], plan: Plan, faults: Fault[]): MappedProduct {
  const filled = plan.attributes.filter(({ at }) => cells[at] !== '')
  for (const { column, name, others } of filled) {
    if (others.some((other) => cells[other] !== '')) {
      faults.push({ field: column, reason: `${name} comes from two columns` })
    }
  }
  return {
    status: textOf(cells[plan.status] ?? '', '', faults) || null,
    names: filled.length === plan.names.length ? plan.names : filled.map(({ name }) => name),
    values: filled.map(({ at, column }) => textOf(cells[at] ?? '', column, faults)),
  }
}

function assetsOf(cells: readonly Cell[], columns: Plan['assets'], base: string | undefined, faults: Fault[]) {
  return columns.flatMap(({ at, column, separator, assetFormat }) => {
    const cell = cells[at] ?? ''
    const urls = cell === '' ? undefined : attempt(column, faults, () => assetUrls(cell, { separator, base }))
    return urls?.map((url) => ({ assetFormat, url })) ?? []
  })
}

function textOf(cell: Cell, column: string, faults: Fault[]): string {
  return typeof cell === 'string' ? cell : (attempt(column, faults, () => JSON.stringify(cell)) ?? '')
}

/** The work's result; if the cell does not allow it, a fault of its column. */
function attempt<T>(column: string, faults: Fault[], work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) faults.push({ field: column, reason: 'is nested too deeply' })
    else if (error instanceof TypeError) faults.push({ field: column, reason: error.message })
    else throw error
    return undefined
  }
}
