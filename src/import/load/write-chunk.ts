import { type LoadedGroup, loadAssets } from '../../catalogue/assets/load-assets.ts'
import { requireDefinitions } from '../../catalogue/attributes/attribute-definitions.ts'
import { type AttributeJudge, attributeJudge } from '../../catalogue/attributes/attribute-rules.ts'
import type { WriteCatalogue } from '../../catalogue/catalogue.ts'
import { type LoadedProduct, loadProducts } from '../../catalogue/products/load-products.ts'
import { statusFault } from '../../catalogue/products/product-patches.ts'
import type { Session } from '../../database/copy.ts'
import { shown } from '../../text.ts'
import type { Cell, Entry, Fault } from '../read/row.ts'
import type { Counts } from '../report/counts.ts'
import type { Layout } from './layout.ts'
import type { FailedRow, MappedAsset, MappedProduct, MappedRow } from './map-row.ts'

/**
 * Checks the rows of a chunk by the definitions that the store has now, and writes those that are good, in a fixed number of statements. A change of
 * a product is counted at the first of its rows without a fault; its other rows count as unchanged. Throws `store_not_found`.
 */
export async function writeChunk(
  session: Session,
  catalogue: WriteCatalogue,
  target: { storeUuid: string; channel: string },
  rows: readonly MappedRow[],
  columnOf: Layout['columnOf'],
): Promise<{ counts: Counts; failed: FailedRow[] }> {
  const { definitions } = await requireDefinitions(catalogue, target.storeUuid)
  const { products, groups, failed, good } = prepare(rows, attributeJudge(definitions), columnOf)
  // Groups before products, as every writer of both locks them: so no two wait for each other.
  const { added, linked } = await loadAssets(session, catalogue, target, groups)
  const { created, updated } = await loadProducts(session, catalogue, target.storeUuid, products)
  const bad = failed.reduce((sum, { row }) => sum + row.rows.length, 0)
  const unchanged = good - created - updated
  const counts = { rows: good + bad, created, updated, unchanged, failed: bad, assetsAdded: added, linksAdded: linked }
  return { counts, failed }
}

/** What the rows bring; `good` is how many rows of the file have no fault. A row that fails does not affect the others of its product. */
function prepare(rows: readonly MappedRow[], judge: AttributeJudge, columnOf: Layout['columnOf']) {
  const products = new Map<string, LoadedProduct>()
  const assets = new Map<string, readonly MappedAsset[]>()
  const failed: FailedRow[] = []
  let good = 0
  for (const row of rows) {
    const { code, product } = row
    const faults = product ? faultsOf(product, judge, columnOf) : []
    const isGood = faults.length + row.faults.length === 0
    if (isGood) good += row.rows.length
    else failed.push(failedRow(row, [...row.faults, ...faults]))
    // With a fault in its assets only, the product is imported.
    if (code === undefined || !product || faults.length > 0) continue
    products.set(code, merged(products.get(code), { productCode: code, ...product, isCounted: isGood }))
    if (!isGood || row.assets.length === 0) continue
    const before = assets.get(code)
    assets.set(code, before ? [...before, ...row.assets] : row.assets)
  }
  return { products: [...products.values()], groups: [...loadedGroups(assets)], failed, good }
}

function merged(before: LoadedProduct | undefined, product: LoadedProduct): LoadedProduct {
  if (!before) return product
  const attributes = new Map(before.names.map((name, i) => [name, before.values[i] ?? '']))
  for (const [i, name] of product.names.entries()) attributes.set(name, product.values[i] ?? '')
  const status = product.status ?? before.status
  const isCounted = before.isCounted || product.isCounted
  return { ...product, status, names: [...attributes.keys()], values: [...attributes.values()], isCounted }
}

/** The assets of each product as groups by format; an asset that comes twice is linked once. */
function* loadedGroups(assets: ReadonlyMap<string, readonly MappedAsset[]>): Generator<LoadedGroup> {
  for (const [parentCode, ofProduct] of assets) {
    const formats = new Map<string, Set<string>>()
    for (const { assetFormat, url } of ofProduct) {
      const urls = formats.get(assetFormat)
      if (urls) urls.add(url)
      else formats.set(assetFormat, new Set([url]))
    }
    for (const [assetFormat, urls] of formats) yield { parentCode, assetFormat, urls: [...urls] }
  }
}

function faultsOf(
  { status, names, values }: MappedProduct,
  judge: AttributeJudge,
  columnOf: Layout['columnOf'],
): Fault[] {
  const faults: Fault[] = []
  const reason = status === null ? undefined : statusFault(status)
  if (reason !== undefined) faults.push({ field: columnOf('status'), reason })
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? ''
    const fault = judge(name, values[i])
    if (fault !== undefined) faults.push({ field: columnOf(name), reason: fault })
  }
  return faults
}

/** The row with its faults, each at the row of the file that has it. */
function failedRow(row: MappedRow, faults: readonly Fault[]): FailedRow {
  if (row.rows.length === 1) return { row, faults }
  const cellsOf = cellsByColumn(row.rows)
  return { row, faults: faults.map((fault) => ({ ...fault, row: rowOf(fault, cellsOf) })) }
}

type CellsOf = (column: string) => { number: number; cell: Cell }[]

/** Finds the cells of a column in several rows. */
function cellsByColumn(rows: readonly Entry[]): CellsOf {
  const indexes = new Map<readonly string[], Map<string, number>>()
  const indexOf = (columns: readonly string[], column: string) => {
    const known = indexes.get(columns) ?? new Map(columns.map((name, at) => [name, at]))
    indexes.set(columns, known)
    return known.get(column) ?? -1
  }
  return (column) =>
    rows.flatMap((row) => {
      const cell = ('cells' in row && row.cells[indexOf(row.columns, column)]) || ''
      return cell === '' ? [] : [{ number: row.number, cell }]
    })
}

/** The number of the joined row that has the value that is at fault; if none is known, of the first with a value in that column. */
function rowOf({ row, field, reason }: Fault, cellsOf: CellsOf): number | undefined {
  if (row !== undefined || field === undefined) return row
  const filled = cellsOf(field)
  return (filled.find(({ cell }) => reason.includes(`; got ${shown(cell)}`)) ?? filled[0])?.number
}
