import { type LoadedGroup, loadAssets } from '../../catalogue/assets/load-assets.ts'
import { listDefinitions } from '../../catalogue/attributes/attribute-definitions.ts'
import { type AttributeValidator, attributeValidator } from '../../catalogue/attributes/attribute-rules.ts'
import type { WriteCatalogue } from '../../catalogue/catalogue.ts'
import { oneOfFault, productStatuses } from '../../catalogue/enumerations.ts'
import { type LoadedProduct, loadProducts, prepareLoading } from '../../catalogue/products/load-products.ts'
import { tooLargeFault } from '../../catalogue/products/product-patches.ts'
import { rolledBackIf } from '../../catalogue/transaction.ts'
import type { OwnConnection } from '../../database/connection/own-connection.ts'
import { createPauses } from '../../request/pauses.ts'
import { shown } from '../../text.ts'
import { optionName, type StoreImport } from '../options.ts'
import type { Counts } from '../position.ts'
import { type RowFault, ruleFault } from '../read/row.ts'
import { type FailedRow, failedRow } from '../report/failed-row.ts'
import type { NumberReaders } from './decimals.ts'
import type { Layout } from './layout.ts'
import { type MappedProduct, type MappedRow, maxFaults } from './map-row.ts'

interface ChunkOptions {
  columnOf: Layout['columnOf']
  numbers: NumberReaders
  signal: AbortSignal
}

/**
 * Checks a chunk's rows by the store's present definitions, and writes the good ones, in a fixed number of statements.
 * A product's change counts at its first row without a fault; the rest as unchanged. If products would grow too large,
 * the chunk is written again without them: all their rows fail. Throws `store_not_found`.
 */
export async function writeChunk(
  connection: OwnConnection,
  catalogue: WriteCatalogue,
  request: StoreImport,
  rows: readonly MappedRow[],
  { columnOf, numbers, signal }: ChunkOptions,
): Promise<{ counts: Counts; failedRows: FailedRow[] }> {
  await prepareLoading(catalogue)
  const { storeUuid } = request
  const definitions = await listDefinitions(catalogue, storeUuid)
  const advice = `; ${optionName(request, 'mapStatus')} reads others, and ${optionName(request, 'map')} makes the column an attribute`
  const rules = {
    validate: attributeValidator(definitions),
    readNumbers: numbers.of(rows, definitions),
    columnOf,
    advice,
  }
  const writeWithout = async (tooLarge: ReadonlySet<string>) => {
    const prepared = await prepare(rows, rules, tooLarge, signal)
    const written = await rolledBackIf(catalogue, hasTooLarge, async (within) => {
      // Groups before products, as every writer of both locks them: so no two wait for each other.
      const { added, linked } = await loadAssets(connection, within, storeUuid, prepared.groups)
      const loaded = await loadProducts(connection, within, storeUuid, prepared.products, prepared.failed)
      return { added, linked, ...loaded }
    })
    return { ...prepared, ...written }
  }
  const first = await writeWithout(new Set())
  const { created, updated, added, linked, failedRows, failed, assetsFailed, replaced } = hasTooLarge(first)
    ? await writeWithout(new Set(first.tooLarge))
    : first
  const all = rows.reduce((sum, row) => sum + countOf(row), 0)
  const unchanged = all - failed - created - updated
  const assets = { assetsAdded: added, linksAdded: linked, assetsFailed }
  return { counts: { rows: all, created, updated, unchanged, failed, replaced, ...assets }, failedRows }
}

/** The number of rows of the file that a mapped row represents. */
const countOf = ({ rows }: MappedRow) => rows?.length ?? 1

const hasTooLarge = ({ tooLarge }: { tooLarge: readonly string[] }) => tooLarge.length > 0

interface Rules {
  validate: AttributeValidator
  readNumbers: ReturnType<NumberReaders['of']>
  columnOf: Layout['columnOf']
  /** On a status that is none. */
  advice: string
}

/** What the rows bring, those to report, and how many fail: without effect on the others of their product. */
async function prepare(rows: readonly MappedRow[], rules: Rules, tooLarge: ReadonlySet<string>, signal: AbortSignal) {
  /** By product code, what each good row brings. */
  const products = new Map<string, LoadedProduct[]>()
  const groups = new Map<string, LoadedGroup & { urls: Set<string> }>()
  const failedRows: FailedRow[] = []
  const pauses = createPauses()
  let [failed, assetsFailed, replaced] = [0, 0, 0]
  for (const row of rows) {
    signal.throwIfAborted()
    const { code } = row
    const faults: RowFault[] = []
    const product = row.product && rules.readNumbers(row.product, faults)
    if (row.product && product) faults.push(...(await faultsOf(product, row.product.values, faults, rules, pauses)))
    if (code !== undefined && tooLarge.has(code)) faults.push({ expected: tooLargeFault })
    const all = [...row.faults, ...faults, ...row.assetFaults]
    if (all.length > 0) failedRows.push(failedRow(row, all))
    if (code === undefined || !product || faults.length > 0) {
      failed += countOf(row)
      continue
    }
    // With faults in its assets only, the product and its other assets are imported.
    assetsFailed += row.assetsFailed
    if (row.replaces) replaced++
    const loaded = { productCode: code, ...product }
    const before = products.get(code)
    if (before) before.push(loaded)
    else products.set(code, [loaded])
    for (const { channel, assetFormat, url } of row.assets) {
      const key = `${channel}\n${assetFormat}\n${code}`
      const group = groups.get(key) ?? { channel, parentCode: code, assetFormat, urls: new Set() }
      groups.set(key, group)
      group.urls.add(url)
    }
  }
  const writes = { products: [...products.values()].flatMap(merged), groups: [...groups.values()] }
  return { ...writes, failedRows, failed, assetsFailed, replaced }
}

/** The rows of one product as one: the last value of an attribute counts. */
function merged(rows: readonly LoadedProduct[]): readonly LoadedProduct[] {
  const [first] = rows
  if (!first || rows.length === 1) return rows
  const attributes = new Map(rows.flatMap(({ names, values }) => names.map((name, i) => [name, values[i] ?? ''])))
  const status = rows.findLast((row) => row.status !== null)?.status ?? null
  return [{ ...first, status, names: [...attributes.keys()], values: [...attributes.values()] }]
}

/**
 * The faults of a product, but of the columns with known ones. `cells` are its values as the file has them. Pauses, as
 * patterns take long to match: the thread shows that it is alive.
 */
async function faultsOf(
  { status, names, values }: MappedProduct,
  cells: readonly string[],
  known: readonly RowFault[],
  { validate, columnOf, advice }: Rules,
  pauses: ReturnType<typeof createPauses>,
): Promise<RowFault[]> {
  const faults: RowFault[] = []
  const statusFault = status === null ? undefined : oneOfFault(status, productStatuses)
  if (statusFault !== undefined) {
    const fault = ruleFault(statusFault, status)
    faults.push({ ...fault, expected: fault.expected + advice, field: columnOf('status') })
  }
  for (const [i, name] of names.entries()) {
    const fault = validate(name, values[i])
    if (fault !== undefined && !known.some(({ field }) => field === columnOf(name)))
      faults.push({ ...faultOf(fault, values[i], cells[i]), field: columnOf(name) })
    if (faults.length === maxFaults) break
    const pause = pauses()
    if (pause) await pause
  }
  return faults
}

/** The fault of a value, with the cell that the file has, where it was read as another number. */
function faultOf(sentence: string, value: string | undefined, cell: string | undefined): RowFault {
  const fault = ruleFault(sentence, value)
  return value === cell || fault.got !== shown(value) ? fault : { ...fault, got: `${shown(cell)} (read as ${value})` }
}
