import { expect, it } from 'vitest'
import { encodeEntries, entriesOf, noEntries } from '../../src/catalogue/asset-groups/asset-entries.ts'
import { pageText } from '../../src/catalogue/asset-groups/asset-groups.ts'

const texts = ['a', '', '"', '\\', 'a\\', '",', '","', '"},{"', 'a"},{"b', '\n', '😀', '[', '},{', ',', "'", '\u2028']

it.each(['image', 'pdf', 'a "quoted" format', 'back\\slash', 'éclair'])(
  'assets of the format %s have any ids and URLs, as objects and as text',
  (assetFormat) => {
    const pairs = texts.flatMap((assetId) => texts.map((url) => ({ assetId, url })))
    for (const assets of [pairs, ...pairs.map((pair) => [{ assetId: 'first', url: 'https://a.b' }, pair])]) {
      const entries = encodeEntries(assetFormat, assets)
      const decoded = entriesOf(assetFormat, entries)
      expect(decoded.map(({ assetId, url }) => ({ assetId, url }))).toEqual(assets)
      expect(JSON.parse(entries)).toEqual(
        decoded.map(({ assetId, urlField, url }) => ({ asset_id: assetId, [urlField]: url })),
      )
      expect(entriesOf(assetFormat, entries, 1)).toEqual(decoded.slice(0, 1))
    }
  },
)

it('a group without assets has none', () => {
  expect(entriesOf('image', noEntries)).toEqual([])
  expect(encodeEntries('image', [])).toBe(noEntries)
})

it('a page is the JSON text of its groups', () => {
  const entries = encodeEntries('image', [{ assetId: 'an asset', url: 'https://cdn.example.com/1.jpg' }])
  const codes = ['a', 'b', '"', '\\']
  const groups = codes.map((parentCode) => ({
    channel: 'SMP',
    assetFormat: 'image',
    storeUuid: 's',
    parentCode,
    entries,
  }))
  const shown = { channel: 'SMP', asset_type: 'image', store_uuid: 's', assets: JSON.parse(entries) }
  expect(JSON.parse(pageText({ totalGroups: 9, groups, version: null }))).toEqual({
    total_groups: 9,
    returned_groups: 4,
    assets: Object.fromEntries(codes.map((code) => [code, shown])),
  })
  const empty = { total_groups: 0, returned_groups: 0, assets: {} }
  expect(JSON.parse(pageText({ totalGroups: 0, groups: [], version: null }))).toEqual(empty)
})
