import type { ItemFailureFragment, ListAssetsQuery, ListProductsQuery } from '../operations.generated.ts'

/** A status that is no string goes among the attributes, where it becomes a failure of its product. */
export function productPatch({
  product_code: productCode,
  ...rest
}: {
  product_code: string
  [name: string]: unknown
}) {
  if (typeof rest.status !== 'string') return { productCode, attributes: rest }
  const { status, ...attributes } = rest
  return { productCode, status, attributes }
}

/** A string as a list of one; null as left out. */
export function listOf(value: string | string[] | null | undefined): string[] | undefined {
  return typeof value === 'string' ? [value] : (value ?? undefined)
}

/** The spec's error_info of a success: an empty object stands where there is nothing to report. */
export function errorInfo(failures: readonly ItemFailureFragment[]) {
  if (failures.length === 0) return [{}]
  return failures.map((failure) => ({
    reason: failure.reason,
    details: failure.details,
    index: failure.index ?? undefined,
    store_uuid: failure.storeUuid ?? undefined,
    channel: failure.channel ?? undefined,
    parent_code: failure.parentCode ?? undefined,
    asset_id: failure.assetId ?? undefined,
  }))
}

/** The spec's map from SKU code to a map from attribute name to a reason. */
export function failedProducts(products: readonly FailedProduct[]) {
  return new Map(
    products.map(({ productCode, failures }) => [
      productCode,
      new Map(failures.map(({ attribute, reason }) => [attribute, reason])),
    ]),
  )
}

interface FailedProduct {
  productCode: string
  failures: readonly { attribute: string; reason: string }[]
}

/** The spec's asset group. */
export function assetGroup(group: ListAssetsQuery['assetGroups']['groups'][number]) {
  const { channel, assetType, storeUuid, assets } = group
  return { channel, asset_type: assetType, store_uuid: storeUuid, assets: assets.map(assetEntry) }
}

/** The spec's asset entry: the id, and the URL under a name that carries format and number. */
function assetEntry(asset: { assetId: string; urlField: string; url: string }) {
  return { asset_id: asset.assetId, [asset.urlField]: asset.url }
}

/** A product with its attributes next to its code and status, and its assets by channel. */
export function productObject(product: ListProductsQuery['productPage']['products'][number]) {
  const byChannel = Map.groupBy(product.assetGroups, (group) => group.channel)
  const assets = [...byChannel].map(
    ([channel, groups]) => [channel, groups.flatMap((group) => group.assets.map(assetEntry))] as const,
  )
  return new Map<string, unknown>([
    ['product_code', product.productCode],
    ['status', product.status.replace('_', ' ').toLowerCase()],
    ...Object.entries(product.attributes),
    ['assets', new Map(assets)],
  ])
}
