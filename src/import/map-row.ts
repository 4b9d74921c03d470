import { isName, shown } from '../catalog/text.ts'
import { assetUrls } from './asset-urls.ts'
import type { Layout } from './layout.ts'
import type { ImportRequest } from './request.ts'
import type { Cell, Fault, Place, Row, Source, UnreadableRow } from './row.ts'

export interface MappedAsset {
  assetFormat: string
  url: string
}

type Part = Place & { source: Source | undefined; columns?: readonly string[]; cells?: readonly Cell[] }

/** What a row brings into the catalogue, and what is wrong with it. */
export interface MappedRow extends Place {
  size: number
  /** The rows of the file that it stands for: several where a preset joins those of one product. */
  rows: readonly Part[]
  code: string | undefined
  /** Undefined when the row's product cannot go in. */
  product: MappedProduct | undefined
  /** All of the row's assets in their order, or none when one of them is bad: a gap would be filled by the next. */
  assets: readonly MappedAsset[]
  faults: Fault[]
}

/** A status, or null for none, and attributes: a name and a value each. */
export interface MappedProduct {
  status: string | null
  names: readonly string[]
  values: readonly string[]
}

/** A row that has failed, with all its faults. */
export interface FailedRow {
  row: MappedRow
  faults: Fault[]
}

export type RowMapper = (row: Row) => MappedRow

/** What to do with the columns of rows that have the same. Numbers are places in `cells`. */
interface Plan {
  code: number
  status: number
  attributes: readonly { at: number; column: string; name: string }[]
  /** Whether two columns give one attribute. */
  hasTwins: boolean
  assets: readonly { at: number; column: string; separator: string | undefined; assetFormat: string }[]
}

/** A mapper of rows for a request and the layout of its file. */
export function rowMapper(request: ImportRequest, layout: Layout): RowMapper {
  const planOf = plans((columns) => planFor(columns, request, layout))
  return (row) => {
    const { columns, cells } = row
    const plan = planOf(columns)
    const code = cells[plan.code] ?? ''
    const faults: Fault[] = [...(row.faults ?? [])]
    if (typeof code !== 'string' || !isName(code)) {
      const reason = `must be a product code of 1 to 255 characters, without NUL and lone surrogates; got ${shown(code)}`
      return { ...unusable(row), faults: [{ field: layout.code, reason }, ...faults] }
    }
    const product = productOf(cells, plan, faults)
    const isSound = faults.length === 0
    const urls = plan.assets.length === 0 ? [] : assetsOf(cells, plan.assets, request.assetBase, faults)
    return {
      number: row.number,
      line: row.line,
      size: row.size,
      rows: row.rows ?? [row],
      code,
      product: isSound ? product : undefined,
      assets: faults.length === 0 ? urls : [],
      faults,
    }
  }
}

/** A row that could not be read, as one that brings nothing. */
export function mapUnreadable(row: UnreadableRow): MappedRow {
  return { ...unusable({ ...row, size: 0 }), faults: [{ field: row.field, reason: row.reason }] }
}

function unusable(row: Place & Pick<Row, 'size' | 'rows'> & { source: Source | undefined }): Omit<MappedRow, 'faults'> {
  const { number, line, size } = row
  return { number, line, size, rows: row.rows ?? [row], code: undefined, product: undefined, assets: [] }
}

/** Plans are made once for rows that share their list of columns, or have lists that are equal. */
function plans(make: (columns: readonly string[]) => Plan): (columns: readonly string[]) => Plan {
  const most = 1_000
  const byColumns = new Map<string, Plan>()
  let last: { columns: readonly string[]; plan: Plan } | undefined
  return (columns) => {
    if (last?.columns === columns) return last.plan
    const key = JSON.stringify(columns)
    const known = byColumns.get(key) ?? make(columns)
    if (byColumns.size < most) byColumns.set(key, known)
    last = { columns, plan: known }
    return known
  }
}

function planFor(columns: readonly string[], request: ImportRequest, layout: Layout): Plan {
  const attributes = columns.flatMap((column, at) => {
    const name = layout.attributeOf(column)
    return name === undefined ? [] : [{ at, column, name }]
  })
  const placed = columns.flatMap((column, at) => {
    const place = layout.urlPlaceOf(column)
    return place ? [{ at, column, separator: undefined, ...place }] : []
  })
  const separator = request.assetSeparator
  const named = request.assetColumns.flatMap((column) => {
    const at = columns.indexOf(column)
    return at < 0 ? [] : [{ at, column, separator, assetFormat: 'image' }]
  })
  return {
    code: columns.indexOf(layout.code),
    status: columns.indexOf(layout.status),
    attributes,
    hasTwins: new Set(attributes.map(({ name }) => name)).size < attributes.length,
    assets: [...placed.sort((a, b) => a.position - b.position), ...named],
  }
}

function productOf(
  cells: readonly Cell[],
  { status: statusAt, attributes, hasTwins }: Plan,
  faults: Fault[],
): MappedProduct {
  const names: string[] = []
  const values: string[] = []
  for (const { at, column, name } of attributes) {
    const cell = cells[at] ?? ''
    if (cell === '') continue
    if (hasTwins && names.includes(name)) faults.push({ field: column, reason: `${name} comes from two columns` })
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

/** The work's result; a cell that it cannot be done with is a fault of its column. */
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
