import type { Reply } from '../../support/clients/http.ts'
import type { TestGateway } from '../../support/servers/gateway.ts'
import type { Failure, Selector } from './model-assets.ts'
import type { Patch } from './model-products.ts'
import type { Operation } from './operations.ts'
import { list, type Ordered, object, parseOrdered, text } from './ordered-json.ts'
import { failureOf } from './over-graphql.ts'

const statusOf: Record<string, number> = { invalid_request: 400, store_not_found: 404 }

/** Does an operation, store names resolved, under /v1 and answers in the model's words. */
export async function perform(gateway: TestGateway, operation: Operation): Promise<object> {
  const [method, path, body] = restRequest(operation)
  const reply = await gateway.call(`/v1${path}`, { method, ...(body !== undefined && { body }) })
  const envelope = object(parseOrdered(reply.text))
  const status = object(envelope.get('status'))
  const data = object(envelope.get('data'))
  if (status.get('code') === 0 && reply.status === 200) return restAnswer(data)
  const reasons = list(data.get('error_info')).map((info) => text(object(info).get('reason')))
  const [error = 'no reason'] = reasons
  if (status.get('message') !== 'ERROR' || reply.status !== statusOf[error]) throw unexpected(reply)
  return { error }
}

function restRequest(operation: Operation): [method: string, path: string, body?: unknown] {
  const dry_run = operation.dryRun
  const store_uuid = 'store' in operation ? operation.store : undefined
  switch (operation.kind) {
    case 'createStore': {
      const { input, linked, copyTaxonomy } = operation
      const { storeName, storeTaxonomy, region, channels, defaultAutomation, storeWebsite } = input
      const body = { store_name: storeName, store_taxonomy: storeTaxonomy, region, channels }
      return [
        'POST',
        `/stores${search({ copy_taxonomy: copyTaxonomy, linked_store_id: linked, dry_run })}`,
        { ...body, default_automation: defaultAutomation, store_website: storeWebsite },
      ]
    }
    case 'updateProducts':
      return ['PUT', `/products${search({ store_uuid, dry_run })}`, operation.patches.map(restPatch)]
    case 'deleteAssets':
      return ['DELETE', `/assets${search({ dry_run })}`, operation.selectors.map(restSelector)]
    case 'unlinkAssets':
      return ['POST', `/assets/unlink${search({ dry_run })}`, operation.selectors.map(restSelector)]
    case 'listAssets': {
      const { channel, assetFormat, offset, limit } = operation.listing
      return ['GET', `/assets${search({ store_uuid, channel, asset_format: assetFormat, offset, limit })}`]
    }
    case 'createProducts': {
      const query = { store_uuid, channel: operation.channel, dry_run }
      return ['POST', `/products${search(query)}`, operation.patches.map(restPatch)]
    }
    case 'pageProducts': {
      const { codes, status } = operation.query
      const query = { store_uuid, sku_codes: codes?.join(','), status: status?.[0], ...operation.page }
      return ['GET', `/products${search(query)}`]
    }
    case 'placeAssets': {
      const items = operation.placements.map(({ parentCode, assetFormat, assets }) => ({
        parent_code: parentCode,
        asset_type: assetFormat,
        assets: Object.fromEntries(assets),
      }))
      return ['POST', `/assets${search({ store_uuid, channel: operation.channel, dry_run })}`, items]
    }
    default:
      throw new Error(`${operation.kind} has no REST endpoint`)
  }
}

function restPatch({ productCode, status, attributes }: Patch) {
  return Object.fromEntries([
    ['product_code', productCode],
    ...(status === undefined ? [] : [['status', status]]),
    ...attributes,
  ])
}

/** `null` is as good as left out, and a single string as a list of one: both are sent. */
function restSelector({ storeUuid, channel, parentCode, assetId }: Selector, index: number) {
  const absent = index % 2 === 0 ? null : undefined
  const [id, ...others] = assetId ?? []
  const ids = index % 2 === 0 && id !== undefined && others.length === 0 ? id : assetId
  return {
    store_uuid: storeUuid,
    channel: channel ?? absent,
    parent_code: parentCode ?? absent,
    asset_id: ids ?? absent,
  }
}

function search(parameters: Record<string, string | number | boolean | undefined>): string {
  const pairs = Object.entries(parameters).filter(([, given]) => given !== undefined)
  return `?${pairs.map(([name, given]) => `${name}=${encodeURIComponent(String(given))}`).join('&')}`
}

/** The answer with names as GraphQL has them, and lists in the place of maps. */
function restAnswer(data: Map<string, Ordered>): object {
  const { errorInfo, failedProducts, products, assets, ...rest } = inCamelCase(data)
  return {
    ...rest,
    ...(errorInfo !== undefined && { failures: restFailures(data) }),
    ...(failedProducts !== undefined && { failedProducts: restFailedProducts(data) }),
    ...(products !== undefined && {
      products: [...object(products)].map(([code, product]) => restProduct(code, object(product))),
    }),
    ...(assets !== undefined && {
      groups: [...object(assets)].map(([parentCode, group]) => restGroup(parentCode, object(group))),
    }),
  }
}

function restFailedProducts(data: Map<string, Ordered>) {
  return [...object(data.get('failed_products'))].map(([productCode, failures]) => ({
    productCode,
    attributes: [...object(failures)]
      .map(([attribute, reason]) => text(reason) && (attribute === 'product_code' ? 'productCode' : attribute))
      .sort(),
  }))
}

/** `product_code`, `status` and `assets` are the product's own; the attributes are next to them. */
function restProduct(key: string, product: Map<string, Ordered>) {
  const { product_code: code, status, assets: _assets, ...attributes } = Object.fromEntries(product)
  if (code !== key) throw new Error(`the product ${JSON.stringify(code)} is at ${JSON.stringify(key)}`)
  const assets = [...object(product.get('assets'))].map(([channel, entries]) => ({
    channel,
    assets: list(entries).map(restEntry),
  }))
  return { productCode: code, status, attributes, assets }
}

function restGroup(parentCode: string, group: Map<string, Ordered>) {
  return {
    parentCode,
    channel: group.get('channel'),
    assetType: group.get('asset_type'),
    storeUuid: group.get('store_uuid'),
    assets: list(group.get('assets')).map(restEntry),
  }
}

/** The id first, then the one URL field. */
function restEntry(entry: Ordered) {
  const [id, url] = [...object(entry)]
  return { [id?.[0] === 'asset_id' ? 'assetId' : 'wrong']: id?.[1], urlField: url?.[0], url: url?.[1] }
}

function restFailures(data: Map<string, Ordered>): Partial<Failure>[] {
  const [first, ...rest] = list(data.get('error_info')).map((info) => object(info))
  if (!first || (first.size === 0 && rest.length === 0)) return first ? [] : [{ reason: 'error_info is empty' }]
  return [first, ...rest].map((info) => failureOf(inCamelCase(info)))
}

function inCamelCase(fields: Map<string, Ordered>): Record<string, Ordered> {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries([...fields].map(([name, given]) => [camel(name), given]))
}

function unexpected(reply: Reply): Error {
  return new Error(`unexpected answer ${reply.status}: ${reply.text}`)
}
