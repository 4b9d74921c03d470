import type { NewAsset } from '../catalog/add-assets.ts'
import type { ProductPatch } from '../catalog/product-patches.ts'
import { isName, shown } from '../catalog/text.ts'
import { assetUrls } from './asset-urls.ts'
import type { Layout } from './layout.ts'
import type { ImportRequest } from './request.ts'
import type { Cell, Fault, Row, UnreadableRow } from './row.ts'

/** What a row brings into the catalogue, and what is wrong with it. */
export interface MappedRow {
  number: number
  line: number | undefined
  size: number
  code: string | undefined
  /** Undefined when the row's product cannot go in. */
  patch: ProductPatch | undefined
  /** All of the row's assets in their order, or none when one of them is bad: a gap would be filled by the next. */
  assets: NewAsset[]
  faults: Fault[]
}

export type RowMapper = (row: Row) => MappedRow

/** A mapper of rows for a request and the layout of its file. */
export function rowMapper(request: ImportRequest, layout: Layout): RowMapper {
  return ({ number, line, size, cells }) => {
    const code = cells.get(layout.code) ?? ''
    if (typeof code !== 'string' || !isName(code)) {
      const reason = `must be a product code of 1 to 255 characters, without NUL and lone surrogates; got ${shown(code)}`
      return unusableRow({ number, line, size, faults: [{ field: layout.code, reason }] })
    }
    const faults: Fault[] = []
    const patch = {
      productCode: code,
      status: statusOf(cells, layout),
      attributes: attributesOf(cells, layout, faults),
    }
    const isSound = faults.length === 0
    const assets = assetsOf(cells, request, layout, faults).map((asset) => ({
      ...asset,
      channel: request.channel,
      parentCode: code,
    }))
    return {
      number,
      line,
      size,
      code,
      patch: isSound ? patch : undefined,
      assets: faults.length === 0 ? assets : [],
      faults,
    }
  }
}

/** A row that could not be read, as one that brings nothing. */
export function mapUnreadable({ number, line, field, reason }: UnreadableRow): MappedRow {
  return unusableRow({ number, line, size: 0, faults: [{ field, reason }] })
}

function unusableRow(row: Pick<MappedRow, 'number' | 'line' | 'size' | 'faults'>): MappedRow {
  return { ...row, code: undefined, patch: undefined, assets: [] }
}

function statusOf(cells: ReadonlyMap<string, Cell>, layout: Layout): string | null {
  const cell = cells.get(layout.status) ?? ''
  return cell === '' ? null : textOf(cell)
}

function attributesOf(cells: ReadonlyMap<string, Cell>, layout: Layout, faults: Fault[]): Record<string, string> {
  const attributes = new Map<string, string>()
  for (const [column, cell] of cells) {
    const attribute = cell === '' ? undefined : layout.attributeOf(column)
    if (attribute === undefined) continue
    if (attributes.has(attribute)) faults.push({ field: column, reason: `${attribute} comes from two columns` })
    attempt(column, faults, () => attributes.set(attribute, textOf(cell)))
  }
  return Object.fromEntries(attributes)
}

function assetsOf(cells: ReadonlyMap<string, Cell>, request: ImportRequest, layout: Layout, faults: Fault[]) {
  const { assetSeparator, assetBase: base } = request
  const placed = [...cells.keys()].flatMap((column) => {
    const place = layout.urlPlaceOf(column)
    return place ? [{ column, separator: undefined, ...place }] : []
  })
  const named = request.assetColumns.map((column) => ({ column, separator: assetSeparator, assetFormat: 'image' }))
  const columns = [...placed.sort((a, b) => a.position - b.position), ...named]
  return columns.flatMap(({ column, separator, assetFormat }) => {
    const urls = attempt(column, faults, () => assetUrls(cells.get(column) ?? '', { separator, base })) ?? []
    return urls.map((url) => ({ assetFormat, url }))
  })
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : JSON.stringify(cell)
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
