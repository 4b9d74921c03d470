import { z } from 'zod'
import { httpStatus } from './status.ts'

/** Shapes of `data` in the answers of /v1. The OpenAPI document is made from them, and tests validate real answers against them. */

const storeUuid = z.string().describe('UUID of the store.')
const sku = z.string().describe('Product code.')
const skus = (description: string) => z.array(sku).describe(description)
const count = (description: string) => z.int().min(0).describe(description)

/** An asset id, and a URL under a name that contains format and position (spec: Asset entry). */
const assetEntry = z
  .object({ asset_id: z.string().describe('Id of the asset, unique in its store.') })
  .catchall(z.string())
  .meta({
    id: 'AssetEntry',
    description:
      'An asset: `asset_id` and one URL field, whose name contains the asset format and the position in the group, such as `Image URL 1`.',
  })

const assetGroup = z
  .object({
    channel: z.string().describe('Channel of the group.'),
    asset_type: z.string().describe('Asset format of the group.'),
    store_uuid: storeUuid,
    assets: z.array(assetEntry).describe('Assets in the order of their positions.'),
  })
  .meta({ id: 'AssetGroup', description: 'Assets of one parent code, channel and asset format.' })

/** The data of GET /v1/assets. */
export const assetPage = z.object({
  total_groups: count('Number of groups that match, on all pages.'),
  returned_groups: count('Number of entries in this answer.'),
  assets: z
    .record(z.string(), assetGroup)
    .describe('Map from parent code to group, ordered by parent code (by code point).'),
})

const failedProducts = z
  .record(z.string(), z.record(z.string(), z.string()))
  .describe('Map from SKU code to a map from attribute name to the reason of its failure.')

/** The data of PUT /v1/products. */
export const updatedProducts = z.object({
  store_uuid: storeUuid,
  updated_skus: skus('Codes of the products that were updated, in the order of the body.'),
  unavailable_skus: skus('Codes of which the store has no product.'),
  failed_products: failedProducts,
})

/** The data of POST /v1/products. */
export const createdProducts = z.object({
  store_uuid: storeUuid,
  created_skus: skus('Codes of the products that were created, in the order of the body.'),
  existing_skus: skus('Codes of products that existed before; they are not changed.'),
  failed_products: failedProducts,
})

/** The data of POST /v1/stores. */
export const createdStore = z.object({
  store_uuid: z.string().describe('UUID of the new store.'),
  store_group: z.string().describe('UUID of the group of linked stores that the store belongs to.'),
})

const itemReasons = [
  'asset_not_found',
  'link_not_found',
  'store_not_found',
  'selector_required',
  'invalid_request',
  'asset_conflict',
] as const

const itemFailure = z
  .object({
    reason: z.enum(itemReasons).describe('Stable code for programs.'),
    details: z.string().describe('Human-readable explanation: the expected value and the received one.'),
    index: z.int().optional().describe('Index of the item in the body, from 0.'),
    store_uuid: z.string().optional().describe('Store UUID of the item.'),
    channel: z.string().optional().describe('Channel of the item.'),
    parent_code: z.string().optional().describe('Parent code of the item.'),
    asset_id: z.string().optional().describe('Asset id that failed.'),
  })
  .meta({
    id: 'ItemFailure',
    description: 'Failure of one item of the request, or of one asset id in an item. The other items are not affected.',
  })

const itemFailures = z
  .array(z.union([itemFailure, z.strictObject({}).describe('No failure.')]))
  .min(1)
  .describe('One entry per failure; a single empty object when nothing failed.')

/** The data of DELETE /v1/assets. */
export const deletedAssets = z.object({
  deleted_count: count('Number of assets deleted.'),
  failed: count('Number of asset ids that were not found, plus the number of items without ids that matched nothing.'),
  error_info: itemFailures,
})

/** The data of POST /v1/assets/unlink. */
export const unlinkedAssets = z.object({
  unlinked: count('Number of links removed.'),
  failed: count('Number of links that were not found.'),
  error_info: itemFailures,
})

/** The data of POST /v1/assets. */
export const placedAssets = z.object({
  created: count('Number of assets that are new in their group.'),
  updated: count('Number of assets that were in their group and moved.'),
  failed: count('Number of entries that failed.'),
  error_info: itemFailures,
})

const productStatus = z.enum(['active', 'new', 'problem', 'inactive', 'draft', 'under review'])

const product = z
  .looseObject({
    product_code: sku,
    status: productStatus.describe('Status of the product.'),
    assets: z.record(z.string(), z.array(assetEntry)).describe('Map from channel to the assets of the product on it.'),
  })
  .meta({
    id: 'Product',
    description:
      'A product: `product_code`, `status`, `assets`, and its attributes as further members. Attribute values are strings.',
  })

/** The data of GET /v1/products. */
export const productPage = z.object({
  store_uuid: storeUuid,
  total_products: count('Number of products that match, on all pages.'),
  returned_products: count('Number of entries in this answer.'),
  products: z.record(z.string(), product).describe('Map from SKU code to product, ordered by code (by code point).'),
})

const requestId = z.string().describe('The `X-Request-Id` of the request, or a generated UUID.')

/** The envelope of a success (spec: Response envelope). */
export function successOf(message: 'SUCCESS' | 'success', data: z.ZodType) {
  const status = z.object({
    code: z.literal(0).describe('0 on success.'),
    message: z.literal(message),
    request_id: requestId,
  })
  return z.object({ status, data })
}

/** The envelope of every error, with one entry per fault. */
export const failure = z
  .object({
    status: z.object({
      code: z.literal(-1).describe('-1 on any error.'),
      message: z.literal('ERROR'),
      request_id: requestId,
    }),
    data: z.object({
      error_info: z
        .array(
          z
            .object({
              reason: z.enum(Object.keys(httpStatus)).describe('Stable code for programs.'),
              details: z
                .string()
                .min(1)
                .describe('Human-readable explanation: the expected value and the received one.'),
              field: z
                .string()
                .optional()
                .describe('Parameter or field with the fault, such as `limit` or `region[1]`.'),
              index: z.int().optional().describe('Index of the item in the body, from 0.'),
            })
            .meta({ id: 'ErrorInfo', description: 'One fault of the request.' }),
        )
        .min(1)
        .describe('One entry per fault, so that a client can correct all of them at once.'),
    }),
  })
  .describe('Envelope of every error.')
