import { isName } from '../../text.ts'
import { urlFieldReader } from '../assets/url-fields.ts'
import type { Catalogue } from '../catalogue.ts'
import type { Enumerations } from '../enumerations.ts'
import { failedProducts, type ProductPatch } from './product-patches.ts'
import { writePatches } from './write-products.ts'

/**
 * Merges attributes and statuses into existing products: each whole or not at all (spec: PUT /products). By the
 * enumerations a URL field is known, which is no attribute. Throws `store_not_found`.
 */
export async function updateProducts(
  catalogue: Catalogue,
  storeUuid: string,
  patches: readonly ProductPatch[],
  enumerations?: Enumerations,
) {
  const possible = patches.filter(({ productCode }) => isName(productCode))
  const fieldOf = urlFieldReader(enumerations)
  const {
    storeUuid: uuid,
    validated,
    written,
  } = await writePatches(catalogue, storeUuid, possible, {
    updates: true,
    looksUpFailed: true,
    validator: (defined) => (name, value) => (fieldOf(name) ? urlFieldFault : defined(name, value)),
  })
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

const urlFieldFault = 'is the URL of an asset, not an attribute: put it with POST /v1/assets (GraphQL: placeAssets)'
