import type { WriteCatalogue } from '../catalogue.ts'
import { failedProducts, type ProductPatch } from './product-patches.ts'
import { writePatches } from './write-patches.ts'

/** Creates products, or merges into those that exist. Throws `store_not_found`. */
export async function upsertProducts(catalogue: WriteCatalogue, storeUuid: string, patches: readonly ProductPatch[]) {
  const options = { creates: true, updates: true }
  const { storeUuid: uuid, validated, written } = await writePatches(catalogue, storeUuid, patches, options)
  const created = new Set(written.created)
  const good = [...validated.good.keys()]
  return {
    storeUuid: uuid,
    createdSkus: good.filter((code) => created.has(code)),
    updatedSkus: good.filter((code) => !created.has(code)),
    ...failedProducts(patches, validated.failed),
  }
}
