import { z } from 'zod'
import { httpStatus } from '../../src/errors.ts'
import type { Endpoint } from '../endpoint.ts'
import { statuses } from '../request/shapes.ts'

/** Shapes in answers of /v1. The OpenAPI document is made from them, and tests validate real answers against them. */

export const storeUuidShape = z.string().describe('UUID of the store.')
const sku = z.string().describe('Product code.')
export const skus = (description: string) => z.array(sku).describe(description)
/** Codes that succeeded: `withoutSuccesses` leaves them out. */
export const succeeded = (description: string) =>
  skus(`${description} Absent with \`Prefer: return=minimal\`.`).optional()
export const count = (description: string) => z.int().min(0).describe(description)

/** A store as it was created, with its ids (spec: Store). */
export const storeShape = z
  .object({
    store_uuid: storeUuidShape,
    store_group: z.string().describe('UUID of the group of linked stores that the store belongs to.'),
    store_name: z.string().describe('Name of the store, not necessarily unique.'),
    store_taxonomy: z.string().describe('Taxonomy of the store.'),
    region: z.array(z.string()).describe('Regions of the store.'),
    channels: z.array(z.string()).describe('Channels of the store.'),
    default_automation: z.array(z.string()).describe('Automations that are enabled by default.'),
    store_website: z.string().nullable().describe('Web site of the store.'),
    created_at: z.string().describe('Time of creation.'),
  })
  .meta({ id: 'Store', description: 'A store: the owner of products and assets.' })

/** An asset id, and a URL under a name that contains format and position (spec: Asset entry). */
const assetEntry = z
  .object({ asset_id: z.string().describe('Id of the asset, unique in its store.') })
  .catchall(z.string())
  .meta({
    id: 'AssetEntry',
    description:
      'An asset: `asset_id` and one URL field, whose name contains the asset format and the position in the group, such as `Image URL 1`.',
  })

export const assetGroupShape = z
  .object({
    channel: z.string().describe('Channel of the group.'),
    asset_type: z.string().describe('Asset format of the group.'),
    store_uuid: storeUuidShape,
    assets: z.array(assetEntry).describe('Assets in the order of their positions.'),
  })
  .meta({ id: 'AssetGroup', description: 'Assets of one parent code, channel and asset format.' })

export const failedProductsShape = z
  .record(z.string(), z.record(z.string(), z.string()))
  .describe('Map from SKU code to a map from attribute name to the reason of its failure, at most 200 characters.')

export const more = z
  .int()
  .min(1)
  .optional()
  .describe('Number of failures that this answer leaves out: it has at most 10,000, and 8 MiB. Absent if it has all.')

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
    details: z
      .string()
      .describe('Human-readable explanation: the expected value and the received one, at most 200 characters.'),
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

export const itemFailures = z
  .array(z.union([itemFailure, z.strictObject({}).describe('No failure.')]))
  .min(1)
  .describe('One entry per failure; a single empty object when nothing failed.')

export const productShape = z
  .looseObject({
    product_code: sku,
    status: z.enum(statuses).describe('Status of the product.'),
    assets: z.record(z.string(), z.array(assetEntry)).describe('Map from channel to the assets of the product on it.'),
  })
  .meta({
    id: 'Product',
    description:
      'A product: `product_code`, `status`, `assets`, and its attributes as further members. Attribute values are strings.',
  })

const requestId = z.string().describe('The `X-Request-Id` of the request, or a generated UUID.')

/** The envelope of a success (spec: Response envelope). */
export function successOf({ success, dataShape }: Pick<Endpoint, 'success' | 'dataShape'>) {
  const status = z.object({
    code: z.literal(0).describe('0 on success.'),
    message: z.literal(success),
    request_id: requestId,
  })
  return z.object({ status, data: z.object(dataShape) })
}

const errorInfo = z
  .object({
    reason: z.enum(Object.keys(httpStatus)).describe('Stable code for programs.'),
    details: z.string().min(1).describe('Human-readable explanation: the expected value and the received one.'),
    field: z.string().optional().describe('Parameter or field with the fault, such as `limit` or `region[1]`.'),
    index: z.int().optional().describe('Index of the item in the body, from 0.'),
  })
  .meta({ id: 'ErrorInfo', description: 'One fault of the request.' })

export const failure = z
  .object({
    status: z.object({
      code: z.literal(-1).describe('-1 on any error.'),
      message: z.literal('ERROR'),
      request_id: requestId,
    }),
    data: z.object({
      error_info: z
        .array(errorInfo)
        .min(1)
        .describe('One entry per fault, so that a client can correct all of them at once.'),
    }),
  })
  .describe('Envelope of every error.')
