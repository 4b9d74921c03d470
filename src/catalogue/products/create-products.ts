import { sql } from 'kysely'
import { addAssets } from '../assets/add-assets.ts'
import { parseUrlField, urlFault } from '../assets/url-fields.ts'
import { requireDefinitions } from '../attributes/attribute-definitions.ts'
import { attributeValidator } from '../attributes/attribute-rules.ts'
import { findMismatches } from '../attributes/mismatches.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { createdProducts, recorded } from '../changes/record-changes.ts'
import { type Enumerations, requireOneOf } from '../enumerations.ts'
import { refreshValues } from '../values/refresh-values.ts'
import { failedProducts, type ProductPatch, patchRows, validatePatches } from './product-patches.ts'
import { totalled } from './product-totals.ts'

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
  const locked = patches.flatMap((patch) => split(assetFormats, target.channel, patch).assets)
  const { storeUuid, definitions } = await requireDefinitions(catalogue, target.storeUuid, {
    groups: locked.flatMap(({ parentCode, url }) => [parentCode, url]),
    products: patches.map(({ productCode }) => productCode),
  })
  const validate = attributeValidator(definitions, await findMismatches(catalogue, definitions, patches))
  const { good, failed } = validatePatches(
    patches,
    (name, value) => (parseUrlField(assetFormats, name) ? urlFault(value) : validate(name, value)),
    { firstOnly: true },
  )
  const parts = [...good.values()].map((patch) => ({ ...patch, ...split(assetFormats, target.channel, patch) }))
  const products = parts.map(({ productCode, status, others }) => ({ productCode, status, attributes: others }))
  const created = await insertProducts(catalogue, storeUuid, products, failed.size)
  const assets = parts.flatMap((patch) => (created.has(patch.productCode) ? patch.assets : []))
  if (assets.length > 0) await addAssets(catalogue, enumerations, storeUuid, assets)

  const codes = [...good.keys()]
  return {
    storeUuid,
    createdSkus: codes.filter((code) => created.has(code)),
    existingSkus: codes.filter((code) => !created.has(code)),
    ...failedProducts(patches, failed),
  }
}

async function insertProducts(
  catalogue: WriteCatalogue,
  storeUuid: string,
  patches: readonly ProductPatch[],
  failed: number,
) {
  if (patches.length === 0) return new Set<string>()
  const { rows } = await sql<{ product_code: string }>`
    with written as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${storeUuid}::uuid, product_code, coalesce(status, 'new'), attributes from (${patchRows(patches)}) patch
      order by product_code
      on conflict (store_uuid, product_code) do nothing
      returning product_code, status
    ), ${totalled(storeUuid, sql`select status, 1 as delta from written`)},
    ${recorded(catalogue, storeUuid, createdProducts(sql`select product_code from written`), failed)}
    select product_code from written`.execute(catalogue.db)
  const created = new Set(rows.map((row) => row.product_code))
  await refreshValues(catalogue, storeUuid, [...created])
  return created
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
