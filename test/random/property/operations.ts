import fc from 'fast-check'
import { channels, statuses } from './model.ts'
import type { Listing, NewAsset, Selector } from './model-assets.ts'
import type { Definition } from './model-attributes.ts'
import type { Order, Placement } from './model-order.ts'
import type { NewStore, Patch, ProductQuery } from './model-products.ts'
import {
  anyUrl,
  assetFormat,
  assetId,
  attribute,
  channel,
  code,
  definition,
  fewOf,
  limit,
  mostly,
  newStore,
  offset,
  place,
  record,
  sometimes,
  status,
  steadyAsset,
  store,
  unstorable,
  url,
  urlField,
  value,
} from './values.ts'

/** Stores are named by `#n`, the n-th of the run; `#n^` is its UUID in upper case; anything else is literal. */
export type Operation = { api: 'rest' | 'graphql'; dryRun?: boolean } & (
  | { kind: 'createStore'; input: NewStore; linked?: string; copyTaxonomy: boolean }
  | { kind: 'defineAttributes'; store: string; definitions: Definition[] }
  | { kind: 'updateProducts' | 'upsertProducts'; store: string; patches: Patch[] }
  | { kind: 'addAssets'; store: string; assets: NewAsset[] }
  | { kind: 'deleteAssets' | 'unlinkAssets'; selectors: Selector[] }
  | { kind: 'createProducts'; store: string; channel: string; patches: Patch[] }
  | { kind: 'deleteProducts'; store: string; codes: string[] }
  | { kind: 'pageProducts'; store: string; query: ProductQuery; page: Partial<Pick<Listing, 'offset' | 'limit'>> }
  | { kind: 'placeAssets'; store: string; channel: string; placements: Placement[] }
  | { kind: 'orderAssets'; store: string; order: Order }
  | { kind: 'listAssets'; store: string; listing: Partial<Listing> }
  | { kind: 'queryProducts'; store: string; query: ProductQuery; size: number; backwards: boolean; groups: GroupFilter }
)

export type GroupFilter = Partial<Pick<Listing, 'channel' | 'assetFormat'>>

const byName = <T>(entry: readonly [name: string, value: T]) => entry[0]
const patch = record<Patch>(
  {
    productCode: code,
    status,
    attributes: fc.uniqueArray(fc.tuple(attribute, value), { maxLength: 3, selector: byName }),
  },
  ['status'],
)

const urls = fc.uniqueArray(
  fc.tuple(urlField, fc.oneof({ weight: 12, arbitrary: anyUrl }, { weight: 1, arbitrary: value })),
  { maxLength: 4, selector: byName },
)

/** A product that comes with its assets among its attributes. */
const newProduct = fc.tuple(patch, urls).map(
  ([item, assets]): Patch => ({
    ...item,
    attributes: [...item.attributes, ...assets.filter(([name]) => !item.attributes.map(byName).includes(name))],
  }),
)

/** REST has `product_code` and `status` next to the attributes: there, only a non-string status is an attribute. */
const nextTo = (item: Patch): Patch => ({
  ...item,
  attributes: item.attributes.filter(
    ([name, given]) =>
      name !== 'product_code' && (name !== 'status' || (item.status === undefined && typeof given !== 'string')),
  ),
})

const newAsset = fc.oneof(
  steadyAsset,
  record<NewAsset>({ assetId, channel, parentCode: code, assetFormat, url }, ['assetId']),
)
const poisonedAsset = newAsset.map((asset) => ({ ...asset, parentCode: 'a\0' }))

const ids = fc.oneof(fewOf(assetId, 4), fc.constant<string[]>(['x', 'x']))
const selector = fc.oneof(
  record<Selector>({ storeUuid: store, assetId: ids }),
  record<Selector>({ storeUuid: store, channel, parentCode: code, assetId: ids }, ['channel', 'parentCode', 'assetId']),
)
const unlink = fc
  .tuple(place, record<Selector>({ storeUuid: store, assetId: ids }, ['assetId']))
  .map(([where, given]): Selector => ({ ...given, ...where }))
const poisoned = (item: fc.Arbitrary<Selector>) => item.map((given) => ({ ...given, channel: 'a\ud800' }))

const listing = record<Partial<Listing>>(
  { channel: mostly(channels.slice(0, 2), ['nowhere', 'a\0']), assetFormat, offset, limit },
  ['channel', 'assetFormat', 'offset', 'limit'],
).filter((given) => given.assetFormat !== '')

const query = sometimes<ProductQuery>(
  record<ProductQuery>({
    status: fewOf(fc.constantFrom(...statuses), 3),
    codePrefix: fc.constantFrom('', 'a', '1', '😀', '_', '%'),
    codes: fewOf(fc.oneof(code, fc.constantFrom(...unstorable)), 6),
    search: fc.constantFrom('', 'A', '_', '%', '\\', '0', 'PROTO'),
  }),
)

/** What GET /products can ask for: one status, and codes that a comma can part. */
const pageQuery = sometimes<ProductQuery>(
  record<ProductQuery>({
    status: fc.constantFrom(...statuses).map((given) => [given]),
    codes: fc.array(code, { minLength: 1, maxLength: 6 }).filter((codes) => codes.some((given) => given !== '')),
  }),
)

const placement = fc
  .tuple(place, assetFormat, urls)
  .map(([{ parentCode }, format, assets]): Placement => ({ parentCode, assetFormat: format, assets }))

const order = fc
  .tuple(place, assetFormat, fewOf(assetId, 3), fc.constantFrom(undefined, undefined, 0, 1, 2, 99))
  .map(([where, format, assetIds, position]): Order => {
    const group = { ...where, assetFormat: format }
    return position === undefined ? { ...group, assetIds } : { ...group, assetIds: [assetIds[0] ?? 'x'], position }
  })

/** In a query an empty channel is as good as none. */
const target = channel.filter((given) => given !== '')
const api = fc.constantFrom('rest', 'graphql')
const rest = fc.constant('rest')
const graphql = fc.constant('graphql')
const kind = <K extends Operation['kind']>(name: K) => fc.constant(name)
const operation = (weight: number, fields: object) => ({
  weight,
  arbitrary: fc.record(fields as Record<string, fc.Arbitrary<unknown>>, {
    noNullPrototype: true,
  }) as fc.Arbitrary<Operation>,
})

const mayPoison = <T>(item: fc.Arbitrary<T>, poison: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 20, arbitrary: fewOf(item) }, { weight: 1, arbitrary: fc.tuple(item, poison) })

const createStore = fc.record(
  { api, kind: kind('createStore'), input: newStore, linked: store, copyTaxonomy: fc.boolean() },
  { requiredKeys: ['api', 'kind', 'input', 'copyTaxonomy'], noNullPrototype: true },
) as fc.Arbitrary<Operation>

const anyOperation = fc.oneof(
  { weight: 2, arbitrary: createStore },
  operation(3, { api: graphql, kind: kind('defineAttributes'), store, definitions: fewOf(definition, 3) }),
  operation(4, { api: rest, kind: kind('updateProducts'), store, patches: fewOf(patch.map(nextTo), 8) }),
  operation(4, { api: graphql, kind: kind('updateProducts'), store, patches: fewOf(patch, 8) }),
  operation(5, { api: graphql, kind: kind('upsertProducts'), store, patches: fewOf(patch, 10) }),
  operation(9, { api: graphql, kind: kind('addAssets'), store, assets: mayPoison(newAsset, poisonedAsset) }),
  operation(5, { api, kind: kind('deleteAssets'), selectors: mayPoison(selector, poisoned(selector)) }),
  operation(5, { api, kind: kind('unlinkAssets'), selectors: mayPoison(unlink, poisoned(unlink)) }),
  operation(2, {
    api: rest,
    kind: kind('createProducts'),
    store,
    channel: target,
    patches: fewOf(newProduct.map(nextTo), 8),
  }),
  operation(2, { api: graphql, kind: kind('createProducts'), store, channel: target, patches: fewOf(newProduct, 8) }),
  operation(1, { api: graphql, kind: kind('deleteProducts'), store, codes: fewOf(code) }),
  operation(4, { api, kind: kind('placeAssets'), store, channel: target, placements: fewOf(placement) }),
  operation(2, { api: graphql, kind: kind('orderAssets'), store, order }),
  operation(2, { api, kind: kind('pageProducts'), store, query: pageQuery, page: listing }),
  operation(6, { api, kind: kind('listAssets'), store, listing }),
  operation(3, {
    api: graphql,
    kind: kind('queryProducts'),
    store,
    query,
    size: fc.constantFrom(1, 2, 3, 100),
    backwards: fc.boolean(),
    groups: record<GroupFilter>({ channel, assetFormat }, ['channel', 'assetFormat']),
  }),
)

const plainStore: NewStore = {
  storeName: 'Shop',
  storeTaxonomy: 'catalog',
  region: [],
  channels: [],
  defaultAutomation: [],
  storeWebsite: null,
}
const firstStore: Operation = { api: 'rest', kind: 'createStore', input: plainStore, copyTaxonomy: false }
const linkedStore: Operation = { ...firstStore, api: 'graphql', linked: '#0' }

const maybePreview = fc
  .tuple(anyOperation, fc.integer({ min: 0, max: 9 }))
  .map(([given, die]): Operation => (die === 9 && !readOnly.includes(given.kind) ? { ...given, dryRun: true } : given))
const readOnly: Operation['kind'][] = ['listAssets', 'pageProducts', 'queryProducts']

/** What one run does: it begins with two linked stores, of which the first has a few products and assets. */
export const operations: fc.Arbitrary<Operation[]> = fc
  .tuple(
    fc.array(patch, { minLength: 4, maxLength: 10, size: 'max' }),
    fc.array(steadyAsset, { minLength: 4, maxLength: 12, size: 'max' }),
    fc.array(maybePreview, { minLength: 8, maxLength: 40, size: 'max' }),
  )
  .map(([patches, assets, given]) => [
    firstStore,
    linkedStore,
    { api: 'graphql', kind: 'upsertProducts', store: '#0', patches },
    { api: 'graphql', kind: 'addAssets', store: '#0', assets },
    ...given,
  ])
