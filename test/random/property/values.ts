import fc from 'fast-check'
import { statuses } from './model.ts'
import type { NewAsset } from './model-assets.ts'
import { type Definition, patterns } from './model-attributes.ts'
import type { NewStore } from './model-products.ts'

/* What the operations are made of: few values, so that they meet, and among them those that break things. */

export function mostly<T>(common: readonly T[], rare: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 24, arbitrary: fc.constantFrom(...common) },
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
  )
}

export const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }, optional: (keyof T)[] = []) =>
  fc.record(fields, {
    requiredKeys: (Object.keys(fields) as (keyof T)[]).filter((key) => !optional.includes(key)),
    noNullPrototype: true,
  }) as fc.Arbitrary<T>

/** Often nothing, else one or some of the fields. */
export const sometimes = <T extends object>(whole: fc.Arbitrary<T>): fc.Arbitrary<Partial<T>> =>
  fc
    .tuple(whole, fc.array(fc.nat(3), { maxLength: 2, size: 'max' }))
    .map(([given, kept]) => Object.fromEntries(Object.entries(given).filter((_, i) => kept.includes(i))) as Partial<T>)

export const unstorable = ['\0', 'a\ud800']
/** 0, 255 and 256 characters. */
const hugeNames = ['', '😀'.repeat(255), `aa${'😀'.repeat(254)}`]
export const code = mostly(
  ['1002', '9', 'a', 'A', 'a_\\"', '__proto__', '😀', '\uffee'],
  ['10', 'constructor', 'é', 'e\u0301', '%', ...hugeNames],
)
export const store = mostly(
  ['#0', '#0', '#0', '#0', '#0^', '#1', '#2'],
  ['00000000-0000-7000-8000-000000000000', 'ABCDEF00-0000-7000-8000-000000000000', 'no-uuid', '#0'],
)
export const channel = mostly(['SMP', 'SMP', 'channel_value_1', 'channel_value_37'], ['smp', 'nowhere', ''])
export const assetFormat = mostly(['image', 'image', 'pdf', '3D'], ['Image', 'audio', ''])
const assetIds = ['1', '02', 'x', 'X', '__proto__', '😀', '\uffee']
export const assetId = mostly(assetIds, ['1e3', ...hugeNames])
const steadyUrl = (id: string) => `https://e.x/${id}`
/** Where steady assets are: half of what is looked for is looked for there. */
const steadyParent = fc.constantFrom('1002', 'a', '__proto__', '😀')
const steadyChannel = fc.constantFrom('SMP', 'SMP', 'channel_value_1')
/** An asset that always has the same URL and format, and so can be added again and again. */
export const steadyAsset = record<NewAsset>({
  assetId: fc.constantFrom(...assetIds),
  channel: steadyChannel,
  parentCode: steadyParent,
  assetFormat: fc.constant('image'),
  url: fc.constant(''),
}).map((asset) => ({
  ...asset,
  assetFormat: asset.assetId === '1' ? 'pdf' : 'image',
  url: steadyUrl(asset.assetId ?? ''),
}))

export const url = mostly(
  ['https://e.x/1', 'https://e.x/2', 'https://e.x/😀', 'HTTPS://e.x/1', 'ftp://e.x/a b'],
  ['', '/1', 'mailto:a@e.x', 'https://', 'e.x', `https://e.x/${'a'.repeat(2037)}`],
)
export const place = fc.oneof(
  record({ parentCode: steadyParent, channel: steadyChannel }),
  record({ parentCode: code, channel }),
)
export const anyUrl = fc.oneof(fc.constantFrom(...assetIds).map(steadyUrl), url)
export const urlField = mostly(
  ['Image URL 1', 'Image URL 2', 'Image URL 9', 'PDF URL 1', '3D URL 2'],
  ['Image URL 0', 'Image URL 01', 'image URL 1', 'Audio URL 1', 'Image URL 1 ', '__proto__'],
)
export const attribute = mostly(
  ['Color', 'color', '1', '__proto__', 'toString', '😀'],
  ['status', 'product_code', 'assets', ...hugeNames, ...unstorable],
)
export const value = mostly<unknown>(
  ['', 'a', 'ab', '7', '-12.50', 'true', '2024-02-29', '2023-02-29', 'https://e.x', '😀😀', 'a\'"\\\u2028'],
  ['1e3', '٣', 'a'.repeat(65_536), '😀'.repeat(65_535), ...unstorable, null, 7, true, ['a'], { a: 'a' }],
)
export const status = mostly(statuses, ['activ', '', 'under-review', ...unstorable])

export const fewOf = <T>(item: fc.Arbitrary<T>, maxLength = 6) => fc.array(item, { maxLength, size: 'max' })

export const offset = mostly([0, 0, 1, 2, 3], [-1, 1000, 2_147_483_647])
export const limit = mostly([1, 2, 3, 50], [0, -1, 51, 2_147_483_647])

export const definition: fc.Arbitrary<Definition> = record<Definition>({
  name: attribute,
  type: fc.constantFrom('text', 'number', 'boolean', 'date', 'url', 'enum'),
  allowedValues: mostly<string[] | null>([null, ['a'], ['a', '7', '7'], ['😀😀']], [unstorable]),
  maxLength: mostly<number | null>([null, 1, 2, 70_000], [0, -1]),
  pattern: mostly<string | null>(
    [null, null, ...[...patterns.keys()].filter((p) => patterns.get(p) !== 'bad')],
    [...patterns.keys(), ...unstorable],
  ),
  filterable: fc.boolean(),
  searchable: fc.boolean(),
})

export const newStore = record<NewStore>({
  storeName: mostly(['Shop', ' Shop ', '😀'.repeat(200)], ['', ' ', '😀'.repeat(201), 'a\0']),
  storeTaxonomy: mostly(['catalog', 'brand'], ['bad']),
  region: fewOf(mostly(['India', 'Asia', 'Middle East'], ['bad']), 3),
  channels: fewOf(mostly(['SMP', 'channel_value_37'], ['bad']), 3),
  defaultAutomation: fewOf(mostly(['bulk_edit', 'service-1', 'SEO_Automations'], ['bad']), 3),
  storeWebsite: mostly<string | null>([null, '', 'not a URL'], ['😀'.repeat(2049), ...unstorable]),
})
