import type { WriteCatalogue } from '../catalogue.ts'
import type { Enumerations } from '../enumerations.ts'
import type { ProductPatch } from './product-patches.ts'
import { writeWithAssets } from './write-with-assets.ts'

/** Creates products; one that exists is not changed, its images neither. Throws as `writeWithAssets`. */
export async function createProducts(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  { storeUuid, channel }: { storeUuid: string; channel: string },
  patches: readonly ProductPatch[],
) {
  const [fields, options] = [{ enumerations, channel }, { updates: false }]
  const { created, others, ...result } = await writeWithAssets(catalogue, storeUuid, patches, fields, options)
  return { ...result, createdSkus: created, existingSkus: others }
}
