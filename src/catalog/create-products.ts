import { sql } from 'kysely'
import { invalidRequest } from '../errors.ts'
import { addAssets, type NewAsset } from './add-assets.ts'
import { channelFault, urlFault } from './asset-rules.ts'
import { lockWithDefinitions } from './attribute-definitions.ts'
import { attributeJudge } from './attribute-rules.ts'
import type { Enumerations } from './enumerations.ts'
import { spendOnPatches } from './patterns.ts'
import { type FailedProduct, type GoodPatch, judgePatches, type ProductPatch } from './product-patches.ts'
import { codeFailure } from './products.ts'
import { parseUrlField } from './url-fields.ts'
import type { WriteView } from './viewer.ts'
import { patchRows } from './write-products.ts'

export interface CreatedProducts {
  storeUuid: string
  createdSkus: string[]
  /** Products that were there and are left as they were. */
  existingSkus: string[]
  failedProducts: FailedProduct[]
}

/**
 * Creates products, `new` unless a status is given; one that exists is left as it is. Attributes named like URL fields (`Image URL 1`) become
 * assets of the product's group on the channel, in the order of their numbers. Of a code that comes twice the first entry counts. Throws
 * `store_not_found`, or `invalid_request` for an unknown channel. At most five statements.
 */
export async function createProducts(
  db: WriteView,
  enumerations: Enumerations,
  target: { storeUuid: string; channel: string },
  patches: readonly ProductPatch[],
): Promise<CreatedProducts> {
  const fault = channelFault(enumerations, target.channel)
  if (fault) throw invalidRequest([{ field: 'channel', details: `channel ${fault}` }])
  const isUrlField = (name: string) => parseUrlField(enumerations.assetFormats, name) !== undefined
  const { storeUuid, definitions } = await lockWithDefinitions(db, target.storeUuid, {
    groups: patches.flatMap((patch) => groupsOf(patch, isUrlField)),
    products: patches.map(({ productCode }) => productCode),
  })
  const judge = attributeJudge(definitions)
  spendOnPatches(definitions, patches)
  const judged = judgePatches(
    patches,
    (name, value) => (isUrlField(name) ? urlFault(value) : judge(name, value)),
    ([first]) => first,
  )
  const good = [...judged.good.values()]
  const created = await insertProducts(
    db,
    storeUuid,
    good.map((patch) => withoutUrls(patch, isUrlField)),
  )
  const assets = good
    .filter(({ productCode }) => created.has(productCode))
    .flatMap((patch) => assetsOf(patch, enumerations, target.channel))
  if (assets.length > 0) await addAssets(db, enumerations, storeUuid, assets)

  const codes = [...new Set(patches.map((patch) => patch.productCode))]
  return {
    storeUuid,
    createdSkus: codes.filter((code) => created.has(code)),
    existingSkus: codes.filter((code) => judged.good.has(code) && !created.has(code)),
    failedProducts: codes.flatMap((productCode) => {
      const failures = judged.impossible.has(productCode) ? [codeFailure] : judged.failed.get(productCode)
      return failures ? [{ productCode, failures }] : []
    }),
  }
}

/** Inserts the products in the order of their codes and returns the codes of those that were not there. */
async function insertProducts(db: WriteView, storeUuid: string, patches: readonly GoodPatch[]): Promise<Set<string>> {
  if (patches.length === 0) return new Set()
  const { rows } = await sql<{ product_code: string }>`
    insert into product (store_uuid, product_code, status, attributes)
    select ${storeUuid}::uuid, product_code, coalesce(status, 'new'), attributes from (${patchRows(patches)}) patch
    order by product_code
    on conflict (store_uuid, product_code) do nothing
    returning product_code`.execute(db)
  return new Set(rows.map((row) => row.product_code))
}

/** The product's code and its URLs, if it has any. */
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
