import { addAssets } from '../assets/add-assets.ts'
import { urlFault, urlFieldReader } from '../assets/url-fields.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { type Enumerations, requireOneOf } from '../enumerations.ts'
import { failedProducts, type GoodPatch, type ProductPatch } from './product-patches.ts'
import { writePatches } from './write-products.ts'

/** What the names of URL fields are read by. */
interface UrlFields {
  enumerations: Enumerations
  /** Of the fields that name none. */
  channel: string
}

/** Creates products; one that exists is not changed, its images neither. Throws as `writeWithAssets`. */
export async function createProducts(
  catalogue: WriteCatalogue,
  storeUuid: string,
  patches: readonly ProductPatch[],
  urlFields?: UrlFields,
) {
  const written = await writeWithAssets(catalogue, storeUuid, patches, urlFields, { updates: false })
  const { others: existingSkus, ...result } = written
  return { ...result, existingSkus }
}

/** Creates products, or merges into those that exist, and appends their images. Throws as `writeWithAssets`. */
export async function upsertProducts(
  catalogue: WriteCatalogue,
  storeUuid: string,
  patches: readonly ProductPatch[],
  urlFields?: UrlFields,
) {
  const written = await writeWithAssets(catalogue, storeUuid, patches, urlFields, { updates: true })
  const { others: updatedSkus, ...result } = written
  return { ...result, updatedSkus }
}

/**
 * Creates products, and with `updates` merges into those that exist; otherwise the first entry of a code counts. With
 * `urlFields`, attributes named like these (`Image URL 1`, `SMP: Image URL 1`) become assets at the end of a group, in
 * the order of their numbers. Throws `store_not_found`, or `invalid_request` for an unknown channel. At most six
 * statements.
 */
async function writeWithAssets(
  catalogue: WriteCatalogue,
  store: string,
  patches: readonly ProductPatch[],
  urlFields: UrlFields | undefined,
  { updates }: { updates: boolean },
) {
  if (urlFields) requireOneOf('channel', urlFields.channel, urlFields.enumerations.channels)
  const fieldOf = urlFieldReader(urlFields?.enumerations)
  const assetsOf = ({ productCode, attributes }: ProductPatch) =>
    Object.entries(attributes ?? {})
      // Another value than a text is a failure.
      .flatMap(([name, url]) => {
        const field = fieldOf(name)
        return field && typeof url === 'string' ? [{ ...field, url }] : []
      })
      .sort((a, b) => a.position - b.position)
      .map(({ channel = urlFields?.channel ?? '', assetFormat, url }) => ({
        channel,
        parentCode: productCode,
        assetFormat,
        url,
      }))
  const { storeUuid, validated, written } = await writePatches(catalogue, store, patches, {
    creates: true,
    updates,
    firstOnly: !updates,
    groups: patches.flatMap(assetsOf).flatMap(({ parentCode, url }) => [parentCode, url]),
    validator: (defined) => (name, value) => (fieldOf(name) ? urlFault(value) : defined(name, value)),
    attributesOf: ({ attributes }) => without(attributes, (name) => fieldOf(name) !== undefined),
  })
  const created = new Set(written.created)
  const codes = [...validated.good.keys()]
  const left = new Set(updates ? codes : created)
  const assets = patches.flatMap((patch) => {
    if (!left.has(patch.productCode) || !validated.good.has(patch.productCode)) return []
    if (!updates) left.delete(patch.productCode)
    return assetsOf(patch)
  })
  if (urlFields && assets.length > 0) await addAssets(catalogue, urlFields.enumerations, storeUuid, assets)
  return {
    storeUuid,
    createdSkus: codes.filter((code) => created.has(code)),
    others: codes.filter((code) => !created.has(code)),
    ...failedProducts(patches, validated.failed),
  }
}

/** The attributes whose values are not those of URL fields. One to remove stays. */
function without(attributes: GoodPatch['attributes'], isUrlField: (name: string) => boolean) {
  const entries = Object.entries(attributes)
  const others = entries.filter(([name, value]) => value === null || !isUrlField(name))
  return others.length === entries.length ? attributes : Object.fromEntries(others)
}
