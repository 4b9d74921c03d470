import { isName, shown } from '../../text.ts'
import type { ImportRequest } from '../options.ts'
import type { Cell, Entry, Fault, Place, Row, UnreadableRow } from '../read/row.ts'
import { assetUrls } from './asset-urls.ts'
import type { Layout } from './layout.ts'

/** What a row brings into the catalogue, and what is wrong with it. */
export interface MappedRow extends Place {
  size: number
  /** The rows of the file that it stands for: several if a preset has joined those of a product. */
  rows: readonly Entry[]
  code: string | undefined
  /** Undefined if the row's product cannot be imported. */
  product: MappedProduct | undefined
  /** All of the row's assets in their order; none if one of them is bad, as the next would take its place. */
  assets: readonly MappedAsset[]
  faults: Fault[]
}

export interface MappedProduct {
  status: string | null
  /** The names of its attributes, each once, and the values at the same indexes: a pair of each would take twice the memory. */
  names: readonly string[]
  values: readonly string[]
}

export interface MappedAsset {
  assetFormat: string
  url: string
}

/** A row that has failed, with all its faults. */
export interface FailedRow {
  row: MappedRow
  faults: readonly Fault[]
}

export type RowMapper = (row: Entry) => MappedRow

/** What to do with the cells of rows that have the same columns. Numbers are indexes of cells. */
interface Plan {
  code: number
  status: number
  /** `others` are the columns before it that have the same name. */
  attributes: readonly { at: number; column: string; name: string; others: readonly number[] }[]
  assets: readonly { at: number; column: string; separator: string | undefined; assetFormat: string }[]
}

/** A mapper of rows for a request and the layout of its file. */
export function rowMapper(request: ImportRequest, layout: Layout): RowMapper {
  const planOf = memoized((columns) => planFor(columns, request, layout))
  return (row) => {
    if ('reason' in row) return unusable(row, 0, [{ field: row.field, reason: row.reason }])
    const { columns, cells } = row
    const plan = planOf(columns)
    const code = cells[plan.code] ?? ''
    const faults: Fault[] = [...(row.faults ?? [])]
    if (typeof code !== 'string' || !isName(code)) {
      const reason = `must be a product code of 1 to 255 characters, without NUL and lone surrogates; got ${shown(code)}`
      return unusable(row, row.size, [{ field: layout.code, reason }, ...faults])
    }
    const mapped = productOf(cells, plan, faults)
    const product = faults.length === 0 ? mapped : undefined
    const assets = assetsOf(cells, plan.assets, request.assetBase, faults)
    const { number, line, size, rows = [row] } = row
    return { number, line, size, rows, code, product, assets: faults.length === 0 ? assets : [], faults }
  }
}

/** A row that brings nothing. */
function unusable(row: Row | UnreadableRow, size: number, faults: Fault[]): MappedRow {
  const rows = ('rows' in row && row.rows) || [row]
  return { number: row.number, line: row.line, size, rows, code: undefined, product: undefined, assets: [], faults }
}

/** How many columns the plans in memory may have together. */
const mostPlanned = 20_000

/** Makes a plan once for lists of columns that are equal. */
function memoized(make: (columns: readonly string[]) => Plan): (columns: readonly string[]) => Plan {
  const plans = new Map<string, Plan>()
  let planned = 0
  let last: { columns: readonly string[]; plan: Plan } | undefined
  return (columns) => {
    if (last?.columns === columns) return last.plan
    const key = JSON.stringify(columns)
    const plan = plans.get(key) ?? make(columns)
    if (planned + columns.length <= mostPlanned && !plans.has(key)) {
      plans.set(key, plan)
      planned += columns.length
    }
    last = { columns, plan }
    return plan
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
  const named = request.assetColumns.flatMap((column) => {
    const at = indexes.get(column)
    return at === undefined ? [] : [{ at, column, separator, assetFormat: 'image' }]
  })
  return {
    code: indexes.get(layout.code) ?? -1,
    status: indexes.get(layout.status) ?? -1,
    attributes,
    assets: [...placed.sort((a, b) => a.position - b.position), ...named],
  }
}

function productOf(cells: readonly Cell[], { status: statusAt, attributes }: Plan, faults: Fault[]): MappedProduct {
  const names: string[] = []
  const values: string[] = []
  for (const { at, column, name, others } of attributes) {
    const cell = cells[at] ?? ''
    if (cell === '') continue
    if (others.some((other) => (cells[other] ?? '') !== '')) {
      faults.push({ field: column, reason: `${name} comes from two columns` })
    }
    names.push(name)
    values.push(textOf(cell, column, faults))
  }
  const status = cells[statusAt] ?? ''
  return { status: status === '' ? null : textOf(status, '', faults), names, values }
}

function assetsOf(
  cells: readonly Cell[],
  columns: Plan['assets'],
  base: string | undefined,
  faults: Fault[],
): MappedAsset[] {
  const assets: MappedAsset[] = []
  for (const { at, column, separator, assetFormat } of columns) {
    const cell = cells[at] ?? ''
    if (cell === '') continue
    const urls = attempt(column, faults, () => assetUrls(cell, { separator, base })) ?? []
    for (const url of urls) assets.push({ assetFormat, url })
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
    if (error instanceof RangeError) faults.push({ field: column, reason: 'is nested too deeply' })
    else if (error instanceof TypeError) faults.push({ field: column, reason: error.message })
    else throw error
    return undefined
  }
}
