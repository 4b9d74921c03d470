import { sql } from 'kysely'
import { invalidRequest } from '../../errors.ts'
import { addAssets, type NewAsset } from '../assets/add-assets.ts'
import { urlFault } from '../assets/asset-rules.ts'
import { parseUrlField } from '../assets/url-fields.ts'
import { requireDefinitions } from '../attributes/attribute-definitions.ts'
import { attributeJudge } from '../attributes/attribute-rules.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { type Enumerations, oneOfFault } from '../enumerations.ts'
import {
  type FailedProduct,
  failedProducts,
  type GoodPatch,
  judgePatches,
  type ProductPatch,
  patchRows,
} from './product-patches.ts'

export interface CreatedProducts {
  storeUuid: string
  createdSkus: string[]
  /** Products that existed; they are not changed. */
  existingSkus: string[]
  failedProducts: FailedProduct[]
}

/**
 * Creates products, `new` unless a status is given; one that exists is not changed. Attributes named like URL fields
 * (`Image URL 1`) become assets of the product's group on the channel, in the order of their numbers. If a code comes
 * twice, its first entry is used. Throws `store_not_found`, or `invalid_request` for an unknown channel. At most five
 * statements.
 */
export async function createProducts(
  catalogue: WriteCatalogue,
  enumerations: Enumerations,
  target: { storeUuid: string; channel: string },
  patches: readonly ProductPatch[],
): Promise<CreatedProducts> {
  const fault = oneOfFault(target.channel, enumerations.channels)
  if (fault) throw invalidRequest([{ field: 'channel', details: `channel ${fault}` }])
  const isUrlField = (name: string) => parseUrlField(enumerations.assetFormats, name) !== undefined
  const { storeUuid, definitions } = await requireDefinitions(catalogue, target.storeUuid, {
    groups: patches.flatMap((patch) => groupsOf(patch, isUrlField)),
    products: patches.map(({ productCode }) => productCode),
  })
  const judge = attributeJudge(definitions)
  const judged = await judgePatches(
    patches,
    (name, value) => (isUrlField(name) ? urlFault(value) : judge(name, value)),
    (first) => first,
  )
  const good = [...judged.good.values()]
  const created = await insertProducts(
    catalogue,
    storeUuid,
    good.map((patch) => withoutUrls(patch, isUrlField)),
  )
  const assets = good
    .filter(({ productCode }) => created.has(productCode))
    .flatMap((patch) => assetsOf(patch, enumerations, target.channel))
  if (assets.length > 0) await addAssets(catalogue, enumerations, storeUuid, assets)

  const codes = [...judged.good.keys()]
  return {
    storeUuid,
    createdSkus: codes.filter((code) => created.has(code)),
    existingSkus: codes.filter((code) => !created.has(code)),
    failedProducts: failedProducts(patches, judged.failed),
  }
}

/** Inserts the products in the order of their codes and returns the codes of the new ones. */
async function insertProducts(
  catalogue: WriteCatalogue,
  storeUuid: string,
  patches: readonly GoodPatch[],
): Promise<Set<string>> {
  if (patches.length === 0) return new Set()
  const { rows } = await sql<{ product_code: string }>`
    insert into product (store_uuid, product_code, status, attributes)
    select ${storeUuid}::uuid, product_code, coalesce(status, 'new'), attributes from (${patchRows(patches)}) patch
    order by product_code
    on conflict (store_uuid, product_code) do nothing
    returning product_code`.execute(catalogue.db)
  return new Set(rows.map((row) => row.product_code))
}

/** The names to lock for the product's assets: its code and its URLs, if it has any. */
function groupsOf({ productCode, attributes }: ProductPatch, isUrlField: (name: string) => boolean): string[] {
  const urls = Object.entries(attributes ?? {}).flatMap(([name, url]) =>
    isUrlField(name) && typeof url === 'string' ? [url] : [],
  )
  return urls.length === 0 ? [] : [productCode, ...urls]
}

function withoutUrls(patch: GoodPatch, isUrlField: (name: string) => boolean): GoodPatch {
  const attributes = Object.entries(patch.attributes).filter(([name]) => !isUrlField(name))
  return { ...patch, attributes: Object.fromEntries(attributes) }
}

function assetsOf(patch: GoodPatch, { assetFormats }: Enumerations, channel: string): NewAsset[] {
  const parsed = Object.entries(patch.attributes).flatMap(([name, url]) => {
    const field = parseUrlField(assetFormats, name)
    return field ? [{ ...field, url }] : []
  })
  parsed.sort((a, b) => a.position - b.position)
  return parsed.map(({ assetFormat, url }) => ({ channel, parentCode: patch.productCode, assetFormat, url }))
}
