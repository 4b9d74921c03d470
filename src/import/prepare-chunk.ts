import { v7 as uuidv7 } from 'uuid'
import type { AttributeJudge } from '../catalog/attribute-rules.ts'
import type { LoadedAsset } from '../catalog/load-assets.ts'
import type { LoadedProduct } from '../catalog/load-products.ts'
import { statusFault } from '../catalog/product-patches.ts'
import type { MappedAsset, MappedProduct, MappedRow } from './map-row.ts'
import type { Fault } from './row.ts'

/** What a chunk of a file brings: its products, each once, and their assets; and what it does not. */
export interface PreparedChunk {
  products: LoadedProduct[]
  /** Each asset of a product once, in the order of the rows. */
  assets: LoadedAsset[]
  /** The rows that have failed, each with all its faults. */
  failed: { row: MappedRow; faults: Fault[] }[]
  /** How many rows of the file have none. */
  good: number
}

interface Gathered extends LoadedProduct {
  product: MappedProduct
}

/**
 * Judges each row by itself: one that fails leaves the others of its product alone. Then the good rows of a product are merged in their
 * order. `columnOf` names the column that an attribute came from.
 */
export function prepareChunk(
  rows: readonly MappedRow[],
  judge: AttributeJudge,
  columnOf: (attribute: string) => string,
): PreparedChunk {
  const byCode = new Map<string, Gathered>()
  const prepared: PreparedChunk = { products: [], assets: [], failed: [], good: 0 }
  const addAsset = assetsOnce(prepared.assets)
  for (const row of rows) {
    const { code, product } = row
    const faults = product ? [...row.faults, ...faultsOf(product, judge, columnOf)] : row.faults
    const isWhole = faults.length === 0
    if (isWhole) prepared.good += row.rows.length
    else prepared.failed.push({ row, faults })
    // With a fault in its assets only, the product goes in.
    if (code === undefined || !product || faults.length > row.faults.length) continue
    const before = byCode.get(code)
    const merged = before ? mergedProducts(before.product, product) : product
    const isCounted = isWhole || before?.isCounted === true
    byCode.set(code, { productCode: code, product: merged, isCounted, status: merged.status, attributes: '' })
    if (isWhole) for (const asset of row.assets) addAsset(code, asset)
  }
  for (const gathered of byCode.values()) {
    const { productCode, status, isCounted, product } = gathered
    prepared.products.push({ productCode, status, isCounted, attributes: jsonOf(product) })
  }
  return prepared
}

function faultsOf(product: MappedProduct, judge: AttributeJudge, columnOf: (attribute: string) => string): Fault[] {
  const { status, names, values } = product
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

function mergedProducts(before: MappedProduct, product: MappedProduct): MappedProduct {
  const attributes = new Map(before.names.map((name, i) => [name, before.values[i] ?? '']))
  product.names.forEach((name, i) => {
    attributes.set(name, product.values[i] ?? '')
  })
  return {
    status: product.status ?? before.status,
    names: [...attributes.keys()],
    values: [...attributes.values()],
  }
}

function jsonOf({ names, values }: MappedProduct): string {
  let text = ''
  for (let i = 0; i < names.length; i++) {
    text += `${i === 0 ? '{' : ','}${JSON.stringify(names[i])}:${JSON.stringify(values[i])}`
  }
  return names.length === 0 ? '{}' : `${text}}`
}

/** Takes each asset of a product once; an asset of several products has one id. */
function assetsOnce(assets: LoadedAsset[]): (code: string, asset: MappedAsset) => void {
  const byUrl = new Map<string, { assetId: string; last: string; codes: Set<string> | undefined }>()
  return (parentCode, { assetFormat, url }) => {
    const key = `${assetFormat} ${url}`
    const known = byUrl.get(key)
    if (known === undefined) {
      const assetId = uuidv7()
      byUrl.set(key, { assetId, last: parentCode, codes: undefined })
      assets.push({ parentCode, assetFormat, url, assetId, isFirst: true })
      return
    }
    known.codes ??= new Set([known.last])
    if (known.codes.has(parentCode)) return
    known.codes.add(parentCode)
    assets.push({ parentCode, assetFormat, url, assetId: known.assetId, isFirst: false })
  }
}
