import { z } from 'zod'
import { httpStatus } from '../../src/errors.ts'
import type { Endpoint } from '../endpoint.ts'
import * as results from '../results.generated.ts'
import { successes } from '../translate.ts'

/** Shapes in answers of /v1 that are not those of GraphQL. Tests validate real answers against them. */

const listedGroup = results.ListAssets.shape.groups.element

/** An asset id, and a URL under a name that contains format and position (spec: Asset entry). */
const assetEntry = listedGroup.shape.assets.element.pick({ asset_id: true }).catchall(z.string()).meta({
  id: 'AssetEntry',
  description:
    'An asset: `asset_id` and one URL field, whose name contains the asset format and the position in the group, such as `Image URL 1`.',
})

export const assetGroupShape = listedGroup
  .omit({ parent_code: true })
  .extend({ assets: z.array(assetEntry).describe('Assets in the order of their positions.') })
  .meta({ id: 'AssetGroup', description: 'Assets of one parent code, channel and asset format.' })

const replaced: z.ZodRawShape = {
  failed_products: z
    .record(z.string(), z.record(z.string(), z.string()))
    .describe('Map from SKU code to a map from attribute name to the reason of its failure, at most 200 characters.'),
  error_info: z
    .array(z.union([results.ItemFailure, z.strictObject({}).describe('No failure.')]))
    .min(1)
    .describe('One entry per failure; a single empty object when nothing failed.'),
  more: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Number of failures that this answer leaves out: it has at most 10,000, and 4 MiB. Absent if it has all.',
    ),
}

/** The data of a write, from the result of its mutation: failures have another shape, and successes may be left out. */
export function writtenShape(result: z.ZodObject): z.ZodObject {
  const members = Object.entries<z.ZodType>(result.shape).map(([name, shape]) => {
    const isLeftOut = (successes as readonly string[]).includes(name)
    const note = `${shape.description} Absent with \`Prefer: return=minimal\`.`
    return [name, replaced[name] ?? (isLeftOut ? shape.optional().describe(note) : shape)]
  })
  return z.object(Object.fromEntries(members))
}

export const productShape = results.Product.pick({ product_code: true, status: true })
  .extend({
    assets: z.record(z.string(), z.array(assetEntry)).describe('Map from channel to the assets of the product on it.'),
  })
  .loose()
  .meta({
    id: 'Product',
    description:
      'A product: `product_code`, `status`, `assets`, and its attributes as further members. Attribute values are strings.',
  })

export const storeShape = results.ListStores.shape.stores.element.meta({
  id: 'Store',
  description: 'A store: the owner of products and assets.',
})

const requestId = z.string().describe('The `X-Request-Id` of the request, or a generated UUID.')

const successStatuses = {
  SUCCESS: successStatus('AssetsSuccessStatus', 'SUCCESS'),
  success: successStatus('SuccessStatus', 'success'),
}

function successStatus(id: string, message: Endpoint['success']) {
  const code = z.literal(0).describe('0 on success.')
  return z.object({ code, message: z.literal(message), request_id: requestId }).meta({ id })
}

/** The envelope of a success (spec: Response envelope). */
export function successOf({ success, dataShape }: Pick<Endpoint, 'success' | 'dataShape'>) {
  return z.object({ status: successStatuses[success], data: dataShape })
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
