import { addAssets } from '../assets/add-assets.ts'
import { parseUrlField, urlFault } from '../assets/url-fields.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { type Enumerations, requireOneOf } from '../enumerations.ts'
import { failedProducts, type ProductPatch } from './product-patches.ts'
import { writePatches } from './write-patches.ts'

/**
 * Creates products; one that exists is not changed, and the first entry of a code counts. Attributes named like URL
 * fields (`Image URL 1`) become assets of the product's group on the channel, in the order of their numbers. Throws
 * `store_not_found`, or `invalid_request` for an unknown channel. At most six statements.
 */
export async function createProducts(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  target: { storeUuid: string; channel: string },
  patches: readonly ProductPatch[],
) {
  requireOneOf('channel', target.channel, enumerations.channels)
  const { assetFormats } = enumerations
  const assetsOf = (patch: ProductPatch) => split(assetFormats, target.channel, patch).assets
  const { storeUuid, validated, written } = await writePatches(catalogue, target.storeUuid, patches, {
    creates: true,
    firstOnly: true,
    groups: patches.flatMap(assetsOf).flatMap(({ parentCode, url }) => [parentCode, url]),
    validator: (defined) => (name, value) =>
      parseUrlField(assetFormats, name) ? urlFault(value) : defined(name, value),
    attributesOf: (patch) => split(assetFormats, target.channel, patch).others,
  })
  const created = new Set(written.created)
  const assets = [...validated.good.values()].flatMap((patch) =>
    created.has(patch.productCode) ? assetsOf(patch) : [],
  )
  if (assets.length > 0) await addAssets(catalogue, enumerations, storeUuid, assets)

  const codes = [...validated.good.keys()]
  return {
    storeUuid,
    createdSkus: codes.filter((code) => created.has(code)),
    existingSkus: codes.filter((code) => !created.has(code)),
    ...failedProducts(patches, validated.failed),
  }
}

/** The assets of a patch's URL fields in the order of their numbers, and its other attributes. */
function split(assetFormats: readonly string[], channel: string, { productCode, attributes }: ProductPatch) {
  const entries = Object.entries(attributes ?? {})
  const fields = entries.flatMap(([name, url]) => {
    const field = parseUrlField(assetFormats, name)
    // Another value than a text is a failure.
    return field && typeof url === 'string' ? [{ ...field, url }] : []
  })
  fields.sort((a, b) => a.position - b.position)
  return {
    assets: fields.map(({ assetFormat, url }) => ({ channel, parentCode: productCode, assetFormat, url })),
    others: Object.fromEntries(entries.filter(([name]) => !parseUrlField(assetFormats, name))),
  }
}
