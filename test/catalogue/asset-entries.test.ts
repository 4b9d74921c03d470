import { expect, it } from 'vitest'
import {
  appendEntries,
  entriesOf,
  noEntries,
  pushEntries,
  urlsOf,
} from '../../src/catalogue/asset-groups/asset-entries.ts'
import { groupsText } from '../../src/catalogue/asset-groups/groups-text.ts'

const textOf = (group: Parameters<typeof pushEntries>[1]) => {
  const pieces: unknown[] = []
  pushEntries(pieces, group)
  return pieces.join('')
}

const texts = ['a', '', '"', '\\', 'a\\', '",', '","', '"],["', 'a"],["b', '\n', '😀', '[', '],[', ',', "'", '\u2028']

it.each(['image', 'pdf', 'a "quoted" format', 'back\\slash'])(
  'assets of the format %s have any ids and URLs, as objects and as text',
  (assetType) => {
    const pairs = texts.flatMap((id) => texts.map((url) => ({ id, url })))
    for (const assets of [pairs, ...pairs.map((pair) => [{ id: 'first', url: 'https://a.b' }, pair])]) {
      const group = { assetType, entries: appendEntries(noEntries, assets) }
      const entries = entriesOf(group)
      expect(entries.map(({ assetId, url }) => ({ id: assetId, url }))).toEqual(assets)
      expect(JSON.parse(textOf(group))).toEqual(
        entries.map(({ assetId, urlField, url }) => ({ asset_id: assetId, [urlField]: url })),
      )
      expect(urlsOf(group.entries)).toEqual(new Set(assets.map(({ url }) => url)))
    }
  },
)

it('a group without assets has none', () => {
  const group = { assetType: 'image', entries: noEntries }
  expect([entriesOf(group), textOf(group)]).toEqual([[], '[]'])
})

it('a page that is rendered in slices has all of its groups', async () => {
  const assets = Array.from({ length: 5_000 }, (_, i) => ({
    id: `asset ${i}`,
    url: `https://cdn.example.com/${i}.jpg`,
  }))
  const group = { channel: 'SMP', assetType: 'image', storeUuid: 's', entries: appendEntries(noEntries, assets) }
  const codes = ['a', 'b', '"', 'd', 'e', 'f', 'g', 'h']
  const page = JSON.parse(await groupsText(codes.map((parentCode) => ({ ...group, parentCode }))))
  const shown = { channel: 'SMP', asset_type: 'image', store_uuid: 's', assets: JSON.parse(textOf(group)) }
  expect(page).toEqual(Object.fromEntries(codes.map((code) => [code, shown])))
  expect(await groupsText([])).toBe('{}')
})
