import fc from 'fast-check'
import { channels, statuses } from './model.ts'
import type { Listing, NewAsset, Selector } from './model-assets.ts'
import { type Definition, patterns } from './model-attributes.ts'
import type { NewStore, Patch, ProductQuery } from './model-products.ts'

/** Stores are named by `#n`, the n-th of the run; `#n^` is its UUID in upper case; anything else stands for itself. */
export type Operation = { door: 'rest' | 'graphql' } & (
  | { kind: 'createStore'; input: NewStore; linked?: string; copyTaxonomy: boolean }
  | { kind: 'defineAttributes'; store: string; definitions: Definition[] }
  | { kind: 'updateProducts' | 'upsertProducts'; store: string; patches: Patch[] }
  | { kind: 'addAssets'; store: string; assets: NewAsset[] }
  | { kind: 'deleteAssets' | 'unlinkAssets'; selectors: Selector[] }
  | { kind: 'listAssets'; store: string; listing: Partial<Listing> }
  | { kind: 'queryProducts'; store: string; query: ProductQuery; size: number; backwards: boolean; groups: GroupFilter }
)

export type GroupFilter = Partial<Pick<Listing, 'channel' | 'assetFormat'>>

/** Mostly the first few, sometimes one of the rest. */
function mostly<T>(common: readonly T[], rare: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...common) },
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
  )
}

const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }, optional: (keyof T)[] = []) =>
  fc.record(fields, {
    requiredKeys: (Object.keys(fields) as (keyof T)[]).filter((key) => !optional.includes(key)),
    noNullPrototype: true,
  }) as fc.Arbitrary<T>

const unstorable = ['\0', 'a\ud800']
/** 0, 255 and 256 characters. */
const hugeNames = ['', '😀'.repeat(255), `aa${'😀'.repeat(254)}`]
const code = mostly(
  ['1002', '9', '10', 'a', 'A', 'ab', '__proto__', 'constructor', '😀', '\uffee', 'é', 'e\u0301', '%', 'a_\\"'],
  hugeNames,
)
const store = mostly(
  ['#0', '#0', '#0', '#1', '#1^', '#2'],
  ['00000000-0000-7000-8000-000000000000', 'ABCDEF00-0000-7000-8000-000000000000', 'no-uuid', '#0'],
)
const channel = mostly(['SMP', 'SMP', 'channel_value_1', 'channel_value_37'], ['smp', 'nowhere', ''])
const assetFormat = mostly(['image', 'image', 'pdf', '3D'], ['Image', 'audio', ''])
const assetId = mostly(['1', '02', 'x', 'X', '__proto__', '😀', '\uffee', 'y', 'z', '1e3'], hugeNames)
const url = mostly(
  ['https://e.x/1', 'https://e.x/2', 'https://e.x/😀', 'HTTPS://e.x/1', 'ftp://e.x/a b'],
  ['', '/1', 'mailto:a@e.x', 'https://', 'e.x', `https://e.x/${'a'.repeat(2037)}`],
)
const attribute = mostly(
  ['Color', 'color', '1', '__proto__', 'toString', '😀'],
  ['status', 'product_code', 'assets', ...hugeNames, ...unstorable],
)
const value = mostly<unknown>(
  ['', 'a', 'ab', '7', '-12.50', 'true', '2024-02-29', '2023-02-29', 'https://e.x', '😀😀', 'a\'"\\\u2028'],
  ['1e3', '٣', 'a'.repeat(65_536), '😀'.repeat(65_535), ...unstorable, null, 7, true, ['a'], { a: 'a' }],
)
const status = mostly(statuses, ['Active', '', 'under_review', ...unstorable])

const fewOf = <T>(item: fc.Arbitrary<T>, maxLength = 6) => fc.array(item, { maxLength })

const patch = record<Patch>(
  {
    productCode: code,
    status,
    attributes: fc.uniqueArray(fc.tuple(attribute, value), { maxLength: 3, selector: ([name]) => name }),
  },
  ['status'],
)

/** PUT /products has `product_code` and `status` beside the attributes: there, only a status that is no string is one of them. */
const restPatch = patch.map(
  (item): Patch => ({
    ...item,
    attributes: item.attributes.filter(
      ([name, given]) =>
        name !== 'product_code' && (name !== 'status' || (item.status === undefined && typeof given !== 'string')),
    ),
  }),
)

const definition: fc.Arbitrary<Definition> = record<Definition>({
  name: attribute,
  type: fc.constantFrom('text', 'number', 'boolean', 'date', 'url', 'enum'),
  allowedValues: mostly<string[] | null>([null, ['a'], ['a', '7', '7'], ['😀😀']], [unstorable]),
  maxLength: mostly<number | null>([null, 1, 2, 70_000], [0, -1]),
  pattern: mostly<string | null>(
    [null, null, ...[...patterns.keys()].filter((p) => patterns.get(p) !== 'bad')],
    [...patterns.keys(), ...unstorable],
  ),
})

const newStore = record<NewStore>({
  storeName: mostly(['Shop', ' Shop ', '😀'.repeat(200)], ['', ' ', '😀'.repeat(201), 'a\0']),
  storeTaxonomy: mostly(['catalog', 'brand'], ['bad']),
  region: fewOf(mostly(['India', 'Asia', 'Middle East'], ['bad']), 3),
  channels: fewOf(mostly(['SMP', 'channel_value_37'], ['bad']), 3),
  defaultAutomation: fewOf(mostly(['bulk_edit', 'service-1', 'SEO_Automations'], ['bad']), 3),
  storeWebsite: mostly<string | null>([null, '', 'not a URL'], ['😀'.repeat(2049), ...unstorable]),
})

const newAsset = record<NewAsset>({ assetId, channel, parentCode: code, assetFormat, url }, ['assetId'])
const poisonedAsset = newAsset.map((asset) => ({ ...asset, parentCode: 'a\0' }))

const ids = fc.oneof(fewOf(assetId, 4), fc.constant<string[]>(['x', 'x']))
const selector = record<Selector>({ storeUuid: store, channel, parentCode: code, assetId: ids }, [
  'channel',
  'parentCode',
  'assetId',
])
const unlink = record<Selector>({ storeUuid: store, channel, parentCode: code, assetId: ids }, ['assetId'])
const poisoned = (item: fc.Arbitrary<Selector>) => item.map((given) => ({ ...given, channel: 'a\ud800' }))

const offset = mostly([0, 0, 1, 2, 3], [-1, 1000, 2_147_483_647])
const limit = mostly([1, 2, 3, 50], [0, -1, 51, 2_147_483_647])
const listing = record<Partial<Listing>>(
  { channel: mostly(channels.slice(0, 2), ['nowhere', 'a\0']), assetFormat, offset, limit },
  ['channel', 'assetFormat', 'offset', 'limit'],
).filter((given) => given.assetFormat !== '')

const query = record<ProductQuery>(
  {
    status: fewOf(fc.constantFrom(...statuses), 3),
    codePrefix: fc.constantFrom('', 'a', '1', '😀', '_', '%'),
    codes: fewOf(fc.oneof(code, fc.constantFrom(...unstorable)), 6),
    search: fc.constantFrom('', 'A', '_', '%', '\\', '0', 'PROTO'),
  },
  ['status', 'codePrefix', 'codes', 'search'],
)

const door = fc.constantFrom('rest', 'graphql')
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
  { door, kind: kind('createStore'), input: newStore, linked: store, copyTaxonomy: fc.boolean() },
  { requiredKeys: ['door', 'kind', 'input', 'copyTaxonomy'], noNullPrototype: true },
) as fc.Arbitrary<Operation>

const anyOperation = fc.oneof(
  { weight: 2, arbitrary: createStore },
  operation(3, { door: graphql, kind: kind('defineAttributes'), store, definitions: fewOf(definition, 3) }),
  operation(4, { door: fc.constant('rest'), kind: kind('updateProducts'), store, patches: fewOf(restPatch, 8) }),
  operation(4, { door: graphql, kind: kind('updateProducts'), store, patches: fewOf(patch, 8) }),
  operation(5, { door: graphql, kind: kind('upsertProducts'), store, patches: fewOf(patch, 10) }),
  operation(9, { door: graphql, kind: kind('addAssets'), store, assets: mayPoison(newAsset, poisonedAsset) }),
  operation(5, { door, kind: kind('deleteAssets'), selectors: mayPoison(selector, poisoned(selector)) }),
  operation(5, { door, kind: kind('unlinkAssets'), selectors: mayPoison(unlink, poisoned(unlink)) }),
  operation(6, { door, kind: kind('listAssets'), store, listing }),
  operation(3, {
    door: graphql,
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
const firstStore: Operation = { door: 'rest', kind: 'createStore', input: plainStore, copyTaxonomy: false }
const linkedStore: Operation = { ...firstStore, door: 'graphql', linked: '#0' }

/** What one run does: it begins with two linked stores. */
export const operations: fc.Arbitrary<Operation[]> = fc
  .array(anyOperation, { minLength: 1, maxLength: 30, size: 'max' })
  .map((given) => [firstStore, linkedStore, ...given])
