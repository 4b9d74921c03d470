import type { Transaction } from 'kysely'
import { type AddedAssets, addAssets } from '../catalog/add-assets.ts'
import { requireDefinitions } from '../catalog/attribute-definitions.ts'
import { attributeJudge } from '../catalog/attribute-rules.ts'
import type { Enumerations } from '../catalog/enumerations.ts'
import { lockGroups } from '../catalog/group-locks.ts'
import { type AttributeFailure, judgePatches } from '../catalog/product-patches.ts'
import { type UpsertedProducts, upsertProducts } from '../catalog/products.ts'
import type { Database } from '../database/tables.ts'
import type { Counts } from './counts.ts'
import type { MappedRow } from './map-row.ts'
import type { Fault } from './row.ts'

export interface Target {
  enumerations: Enumerations
  storeUuid: string
  /** The column that an attribute came from. */
  columnOf(attribute: string): string
}

export interface WrittenBatch {
  counts: Counts
  /** The rows that have failed, each with all its faults. */
  failed: { row: MappedRow; faults: Fault[] }[]
}

/** What is known against each row; nothing against those that go in. */
type Faults = Map<MappedRow, Fault[]>

/**
 * Writes rows into the catalogue as a part of a transaction, in a fixed number of statements. A row is judged by itself: one that
 * fails leaves the others of its product alone. Then the good rows of a product are merged in their order; what happened to the product is counted at
 * the first of them that has no fault, the others count as unchanged. Throws `store_not_found`.
 */
export async function writeBatch(
  db: Transaction<Database>,
  target: Target,
  rows: readonly MappedRow[],
): Promise<WrittenBatch> {
  const faults: Faults = new Map(rows.map((row) => [row, [...row.faults]]))
  // Groups before products, as every writer of both locks them: no two can wait for each other.
  if (rows.some((row) => row.assets.length > 0)) await lockGroups(db, new Map([[target.storeUuid, 'all']]))
  const products = await writeProducts(db, target, rows, faults)
  const sound = () => rows.filter((row) => faults.get(row)?.length === 0)
  const assets = await writeAssets(db, target, sound(), faults)
  const failed = [...faults].flatMap(([row, known]) => (known.length === 0 ? [] : [{ row, faults: known }]))
  return { counts: countsOf(sound(), failed.length, products, assets), failed }
}

async function writeProducts(
  db: Transaction<Database>,
  { storeUuid, columnOf }: Target,
  rows: readonly MappedRow[],
  faults: Faults,
): Promise<UpsertedProducts> {
  const faultOf = ({ attribute, reason }: AttributeFailure) => ({ field: columnOf(attribute), reason })
  const { definitions } = await requireDefinitions(db, storeUuid)
  const judge = attributeJudge(definitions)
  const good = rows.flatMap((row) => {
    if (!row.patch) return []
    const failures = [...judgePatches([row.patch], judge).failed.values()].flat()
    faults.get(row)?.push(...failures.map(faultOf))
    return failures.length === 0 ? [{ row, patch: row.patch }] : []
  })
  const patches = good.map(({ patch }) => patch)
  const products = await upsertProducts(db, storeUuid, patches)
  // Definitions may have changed since they were read, a moment ago.
  const failures = new Map(products.failedProducts.map((product) => [product.productCode, product.failures]))
  for (const { row, patch } of good) faults.get(row)?.push(...(failures.get(patch.productCode) ?? []).map(faultOf))
  return products
}

async function writeAssets(
  db: Transaction<Database>,
  { enumerations, storeUuid }: Target,
  rows: readonly MappedRow[],
  faults: Faults,
): Promise<Pick<AddedAssets, 'added' | 'linked'>> {
  const items = rows.flatMap((row) => row.assets.map((asset) => ({ row, asset })))
  if (items.length === 0) return { added: 0, linked: 0 }
  const wanted = items.map(({ asset }) => asset)
  const { added, linked, failures } = await addAssets(db, enumerations, storeUuid, wanted)
  for (const { index, details } of failures) {
    const row = items[index]?.row
    if (row) faults.get(row)?.push({ field: undefined, reason: details })
  }
  return { added, linked }
}

function countsOf(
  good: readonly MappedRow[],
  failed: number,
  { createdSkus, updatedSkus, unchangedSkus }: UpsertedProducts,
  { added, linked }: Pick<AddedAssets, 'added' | 'linked'>,
): Counts {
  const codes = new Set(good.map((row) => row.code))
  const created = createdSkus.filter((code) => codes.has(code)).length
  const touched = updatedSkus.filter((code) => codes.has(code)).length
  const updated = touched - unchangedSkus.filter((code) => codes.has(code)).length
  const rows = good.length + failed
  return {
    rows,
    created,
    updated,
    unchanged: good.length - created - updated,
    failed,
    assetsAdded: added,
    linksAdded: linked,
  }
}
