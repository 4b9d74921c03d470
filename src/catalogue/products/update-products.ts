import { isName } from '../../text.ts'
import type { Catalogue } from '../catalogue.ts'
import { failedProducts, type ProductPatch } from './product-patches.ts'
import { writePatches } from './write-patches.ts'

/**
 * Merges attributes and statuses into existing products: each whole or not at all (spec: PUT /products). Throws
 * `store_not_found`.
 */
export async function updateProducts(catalogue: Catalogue, storeUuid: string, patches: readonly ProductPatch[]) {
  const possible = patches.filter(({ productCode }) => isName(productCode))
  const options = { updates: true, looksUpFailed: true }
  const { storeUuid: uuid, validated, written } = await writePatches(catalogue, storeUuid, possible, options)
  const missing = new Set(written.missing)
  for (const code of missing) validated.failed.delete(code)
  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  return {
    storeUuid: uuid,
    updatedSkus: [...validated.good.keys()].filter((code) => !missing.has(code)),
    unavailableSkus: codes.filter((code) => missing.has(code) || !isName(code)),
    ...failedProducts(patches, validated.failed),
  }
}
