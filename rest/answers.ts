import { z } from 'zod'
import { httpStatus } from './status.ts'

/** What `data` holds in the answers of /v1: the documentation of the API, and what its tests hold real answers against. */

const sku = z.string().describe('A product code.')
const skus = (description: string) => z.array(sku).describe(description)
const count = (description: string) => z.int().min(0).describe(description)

/** An asset's id, and its URL under a name that carries format and number (spec: Asset entry). */
const assetEntry = z.object({ asset_id: z.string() }).catchall(z.string()).meta({
  id: 'AssetEntry',
  description:
    'An asset: its id, and one URL field whose name carries the format and the place in the group, such as `Image URL 1`.',
})

const assetGroup = z
  .object({
    channel: z.string(),
    asset_type: z.string().describe('The asset format of the group.'),
    store_uuid: z.string(),
    assets: z.array(assetEntry).describe('In the order of their places.'),
  })
  .meta({ id: 'AssetGroup', description: 'The assets of one parent code, channel and format.' })

/** The data of GET /v1/assets. */
export const assetPage = z.object({
  total_groups: count('How many groups match.'),
  returned_groups: count('How many of them are in this answer.'),
  assets: z
    .record(z.string(), assetGroup)
    .describe('Parent code to group, in the order of the parent codes by code point.'),
})

const failedProducts = z
  .record(z.string(), z.record(z.string(), z.string()))
  .describe('SKU code to attribute name to the reason why it was refused.')

/** The data of PUT /v1/products. */
export const updatedProducts = z.object({
  store_uuid: z.string(),
  updated_skus: skus('The products that were updated, in the order of the body.'),
  unavailable_skus: skus('The codes of which the store has no product.'),
  failed_products: failedProducts,
})

/** The data of POST /v1/products. */
export const createdProducts = z.object({
  store_uuid: z.string(),
  created_skus: skus('The products that were created, in the order of the body.'),
  existing_skus: skus('The codes of which the store has a product already: it is left as it is.'),
  failed_products: failedProducts,
})

/** The data of POST /v1/stores. */
export const createdStore = z.object({
  store_uuid: z.string().describe('What identifies the store from now on.'),
  store_group: z.string().describe('The group of linked stores that it belongs to.'),
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
    reason: z.enum(itemReasons),
    details: z.string().describe('What was expected and what came, for a person.'),
    index: z.int().optional().describe('The item of the body, from 0.'),
    store_uuid: z.string().optional(),
    channel: z.string().optional(),
    parent_code: z.string().optional(),
    asset_id: z.string().optional(),
  })
  .meta({ id: 'ItemFailure', description: 'Why one item of a request did nothing; the others went ahead.' })

const itemFailures = z
  .array(z.union([itemFailure, z.strictObject({}).describe('Nothing to report.')]))
  .min(1)
  .describe('An entry for each failure; a single empty object when there is none.')

/** The data of DELETE /v1/assets. */
export const deletedAssets = z.object({
  deleted_count: count('Assets that were removed.'),
  failed: count('Asset ids that were not found, and items without ids that matched nothing.'),
  error_info: itemFailures,
})

/** The data of POST /v1/assets/unlink. */
export const unlinkedAssets = z.object({
  unlinked: count('Links that were removed.'),
  failed: count('Links that were not found.'),
  error_info: itemFailures,
})

/** The data of POST /v1/assets. */
export const placedAssets = z.object({
  created: count('Entries that are new in their group.'),
  updated: count('Entries that moved.'),
  failed: count('URLs that were refused.'),
  error_info: itemFailures,
})

const productStatus = z.enum(['active', 'new', 'problem', 'inactive', 'draft', 'under review'])

const product = z
  .looseObject({
    product_code: z.string(),
    status: productStatus,
    assets: z.record(z.string(), z.array(assetEntry)).describe('Channel to the assets of the product there.'),
  })
  .meta({
    id: 'Product',
    description: 'A product: its code, its status, and its attributes, which are strings, beside them.',
  })

/** The data of GET /v1/products. */
export const productPage = z.object({
  store_uuid: z.string(),
  total_products: count('How many products match.'),
  returned_products: count('How many of them are in this answer.'),
  products: z.record(z.string(), product).describe('SKU code to product, in the order of the codes by code point.'),
})

/** The envelope of a success (spec: Response envelope). */
export function successOf(message: 'SUCCESS' | 'success', data: z.ZodType) {
  const status = z.object({ code: z.literal(0), message: z.literal(message), request_id: z.string() })
  return z.object({ status, data })
}

const reasons = Object.keys(httpStatus) as [string, ...string[]]

/** The envelope of every error: an entry for each fault found. */
export const failure = z
  .object({
    status: z.object({ code: z.literal(-1), message: z.literal('ERROR'), request_id: z.string() }),
    data: z.object({
      error_info: z
        .array(
          z
            .object({
              reason: z.enum(reasons),
              details: z.string().min(1).describe('What was expected and what came, for a person.'),
              field: z.string().optional().describe('Where it lies, as the request names it: `limit`, `region[1]`.'),
              index: z.int().optional().describe('The item of the body that it lies in, from 0.'),
            })
            .meta({ id: 'ErrorInfo', description: 'One fault of the request.' }),
        )
        .min(1)
        .describe('An entry for each fault, so that all can be mended at once.'),
    }),
  })
  .describe('The envelope of every error.')
