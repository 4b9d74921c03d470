import type { WriteCatalogue } from '../catalogue.ts'
import type { ProductPatch } from './product-patches.ts'
import { type UrlFields, writeWithAssets } from './write-with-assets.ts'

/** Creates products, or merges into those that exist, and appends their images. Throws as `writeWithAssets`. */
export async function upsertProducts(
  catalogue: WriteCatalogue,
  storeUuid: string,
  patches: readonly ProductPatch[],
  urlFields?: UrlFields,
) {
  const options = { updates: true }
  const { created, others, ...result } = await writeWithAssets(catalogue, storeUuid, patches, urlFields, options)
  return { ...result, createdSkus: created, updatedSkus: others }
}
