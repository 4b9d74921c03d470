import { isName } from '../../src/text.ts'
import type { ItemFailureFragment, ProductFragment, UpdateProductsMutation } from '../operations.generated.ts'
import { restNameOf, restObject } from './rest-object.ts'

/** The spec's error_info of a success: an empty object where there is nothing to report. */
export function withErrorInfo<Result extends { error_info: ItemFailureFragment[]; more: number }>(result: Result) {
  const failures = result.error_info.map((failure) =>
    restObject({ ...failure, details: withRestName(failure.details) }),
  )
  return withMore({ ...result, error_info: failures.length === 0 ? [{}] : failures })
}

/** The names of REST for those with which the fault of an item begins. */
const restNames: Record<string, string> = { parentCode: 'parent_code', assetFormat: 'asset_type' }

function withRestName(details: string): string {
  return details.replace(/^\w+/, (name) => restNames[name] ?? name)
}

/** Without the number of failures that the answer leaves out, if it has all. */
export function withMore<Result extends { more: number }>({ more, ...result }: Result) {
  return more > 0 ? { ...result, more } : result
}

type FailedProducts = Pick<UpdateProductsMutation['updateProducts'], 'failed_products' | 'more'>

/** The spec's map from SKU code to a map from attribute name to a reason. */
export function withFailedProducts<Result extends FailedProducts>(result: Result) {
  const failed = new Map(
    result.failed_products.map(({ product_code, failures }) => [
      product_code,
      // A bad code is the only failure of its product.
      new Map(failures.map(({ attribute, reason }) => [isName(product_code) ? attribute : 'product_code', reason])),
    ]),
  )
  return withMore({ ...result, failed_products: failed })
}

export const successes = ['updated_skus', 'created_skus', 'existing_skus'] as const

/** The data of a write without its lists of codes that succeeded (`Prefer: return=minimal`). */
export function withoutSuccesses(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !(successes as readonly string[]).includes(name)))
}

/** The spec's asset entry: the id, and the URL under a name that carries format and number. */
function assetEntry({ asset_id, urlField, url }: ProductFragment['assetGroups'][number]['assets'][number]) {
  return { asset_id, [urlField]: url }
}

export function productObject(product: ProductFragment) {
  const byChannel = Map.groupBy(product.assetGroups, (group) => group.channel)
  const assets = [...byChannel].map(
    ([channel, groups]) => [channel, groups.flatMap((group) => group.assets.map(assetEntry))] as const,
  )
  return new Map<string, unknown>([
    ['product_code', product.product_code],
    ['status', restNameOf(product.status)],
    ...Object.entries(product.attributes),
    ['assets', new Map(assets)],
  ])
}
