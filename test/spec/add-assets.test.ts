import { expect } from 'vitest'
import { assetIdsOf, entriesOf, failuresOf, type Item } from '../support/clients/client.ts'
import { ask } from '../support/clients/operations.ts'
import { addAssets, newStore, storeWithAssets, unknownStore, urlOf } from '../support/factories.ts'
import { graphql, requirements } from './requirement.ts'

const astral = '𝒳'
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

requirements('addAssets', (gateway) => ({
  'ADD-ASSETS-01 MUST make the assets, link them, and say how many of each and which ids': graphql(async (client) => {
    const store = await newStore(gateway)
    expect(await client.addAssets(store, [asset('b', 'P'), asset('a', 'P'), asset('c', 'Q')])).toEqual({
      data: { added: 3, linked: 3, asset_ids: ['b', 'a', 'c'], failed: 0, error_info: [] },
    })
    expect(await assetIdsOf(client, store, 'P')).toEqual(['b', 'a'])
    expect(await assetIdsOf(client, store, 'Q')).toEqual(['c'])
  }),
  'ADD-ASSETS-02 MUST link at the end of the group, in the order of the request': graphql(async (client) => {
    const store = await storeWithAssets(gateway, [['z', 'P']])
    await client.addAssets(store, [asset('c', 'P'), asset('x', 'Q'), asset('a', 'P'), asset('z', 'P'), asset('b', 'P')])
    expect(await assetIdsOf(client, store, 'P')).toEqual(['z', 'c', 'a', 'b'])
  }),
  'ADD-ASSETS-03 MUST link an asset that exists, and not double it': graphql(async (client) => {
    const store = await storeWithAssets(gateway, [['a', 'P']])
    const again = [asset('a', 'Q'), asset('a', 'P', { channel: 'channel_value_1' })]
    expect(await client.addAssets(store, again)).toMatchObject({ data: { added: 0, linked: 2, asset_ids: ['a', 'a'] } })
    const deleted = await client.deleteAssets([{ store_uuid: store, asset_id: ['a'] }])
    expect(deleted).toMatchObject({ data: { deleted_count: 1 } })
  }),
  'ADD-ASSETS-04 MUST count what is linked already neither as added nor as linked': graphql(async (client) => {
    const store = await storeWithAssets(gateway, [['a', 'P']])
    const twice = [asset('a', 'P'), asset('b', 'P'), asset('b', 'P')]
    expect(await client.addAssets(store, twice)).toEqual({
      data: { added: 1, linked: 1, asset_ids: ['a', 'b', 'b'], failed: 0, error_info: [] },
    })
    expect(await assetIdsOf(client, store, 'P')).toEqual(['a', 'b'])
  }),
  'ADD-ASSETS-05 MUST not ask for a product of the parent code, nor make one': graphql(async (client) => {
    const store = await newStore(gateway)
    expect(await client.addAssets(store, [asset('a', 'no product')])).toMatchObject({ data: { linked: 1 } })
    expect(await ask(gateway, 'store', { storeUuid: store }, '{ products { totalCount } }')).toEqual({
      products: { totalCount: 0 },
    })
  }),
  'ADD-ASSETS-06 MUST link on SMP as an image by default': graphql(async (client) => {
    const store = await newStore(gateway)
    const nulls = { channel: null, assetFormat: null }
    await client.addAssets(store, [asset('a', 'P'), asset('b', 'P', nulls), asset('v', 'P', { assetFormat: 'video' })])
    expect(await assetIdsOf(client, store, 'P')).toEqual(['a', 'b'])
    expect(await assetIdsOf(client, store, 'P', { asset_format: 'video' })).toEqual(['v'])
  }),
  'ADD-ASSETS-07 MUST fail an item whose channel or format is not configured, naming the item, and go ahead with the others':
    graphql(async (client) => {
      const store = await newStore(gateway)
      const outcome = await client.addAssets(store, [
        asset('a', 'P', { channel: 'smp' }),
        asset('b', 'P'),
        asset('c', 'P', { assetFormat: 'audio' }),
        asset('d', 'P', { channel: 'nowhere', assetFormat: 'Image' }),
      ])
      expect(outcome).toMatchObject({ data: { added: 1, linked: 1, asset_ids: ['b'], failed: 3 } })
      expect(failuresOf(outcome)).toMatchObject([
        { index: 0, asset_id: 'a', parent_code: 'P', channel: 'smp', details: expect.stringContaining('SMP') },
        { index: 2, asset_id: 'c', details: expect.stringContaining('image, video, pdf, 3D, text') },
        { index: 3, asset_id: 'd', details: expect.stringMatching(/channel .*assetFormat/) },
      ])
      expect(await assetIdsOf(client, store, 'P')).toEqual(['b'])
    }),
  'ADD-ASSETS-08 MUST fail an item as asset_conflict whose id exists with another URL or format, and change nothing of it':
    graphql(async (client) => {
      const store = await storeWithAssets(gateway, [['a', 'P']])
      const outcome = await client.addAssets(store, [
        asset('a', 'Q', { url: 'https://cdn.example/other' }),
        asset('a', 'Q', { assetFormat: 'video' }),
        asset('a', 'R'),
        asset('b', 'R'),
      ])
      expect(outcome).toMatchObject({ data: { added: 1, linked: 2, asset_ids: ['a', 'b'], failed: 2 } })
      expect(failuresOf(outcome)).toMatchObject([
        { reason: 'asset_conflict', index: 0, asset_id: 'a', parent_code: 'Q', channel: 'SMP' },
        { reason: 'asset_conflict', index: 1, asset_id: 'a' },
      ])
      expect(await entriesOf(client, store, 'P')).toEqual([{ asset_id: 'a', 'Image URL 1': urlOf('a') }])
      expect(await entriesOf(client, store, 'Q')).toEqual([])
    }),
  'ADD-ASSETS-09 MUST fail the later item of two that give one new id different URLs': graphql(async (client) => {
    const store = await newStore(gateway)
    const outcome = await client.addAssets(store, [
      asset('a', 'P'),
      asset('a', 'Q', { url: 'https://cdn.example/other' }),
    ])
    expect(outcome).toMatchObject({ data: { added: 1, linked: 1, failed: 1 } })
    expect(failuresOf(outcome)).toMatchObject([{ reason: 'asset_conflict', index: 1 }])
    expect(await entriesOf(client, store, 'P')).toEqual([{ asset_id: 'a', 'Image URL 1': urlOf('a') }])
  }),
  'ADD-ASSETS-10 MUST keep assets of the same id in two stores apart': graphql(async (client) => {
    const store = await storeWithAssets(gateway, [['a', 'P']])
    const other = await newStore(gateway)
    const outcome = await client.addAssets(other, [
      asset('a', 'P', { url: 'https://cdn.example/other', assetFormat: 'pdf' }),
    ])
    expect(outcome).toMatchObject({ data: { added: 1, linked: 1, failed: 0 } })
    expect(await entriesOf(client, store, 'P')).toEqual([{ asset_id: 'a', 'Image URL 1': urlOf('a') }])
  }),
  'ADD-ASSETS-11 MUST generate a UUID for an asset without id, the same for the same format and URL': graphql(
    async (client) => {
      const store = await newStore(gateway)
      const [url, other] = ['https://cdn.example/1', 'https://cdn.example/2']
      const anonymous = (rest: Item) => asset(undefined, 'P', rest)
      const first = await client.addAssets(store, [
        anonymous({ url }),
        anonymous({ url: other }),
        anonymous({ url, parentCode: 'Q' }),
        anonymous({ url, assetFormat: 'pdf' }),
      ])
      expect(first).toMatchObject({ data: { added: 3, linked: 4, failed: 0 } })
      const ids = (first.data as { asset_ids: string[] }).asset_ids
      for (const id of ids) expect(id).toMatch(uuid)
      expect(ids[2]).toBe(ids[0])
      expect(new Set(ids).size).toBe(3)
      const again = await client.addAssets(store, [anonymous({ url: other, parentCode: 'R' }), anonymous({ url })])
      expect(again).toMatchObject({ data: { added: 0, linked: 1, asset_ids: [ids[1], ids[0]] } })
    },
  ),
  "ADD-ASSETS-12 MUST take the store's asset of the same format and URL for one without id": graphql(async (client) => {
    const store = await storeWithAssets(gateway, [['mine', 'P']])
    const outcome = await client.addAssets(store, [asset(undefined, 'Q', { url: urlOf('mine') })])
    expect(outcome).toMatchObject({ data: { added: 0, linked: 1, asset_ids: ['mine'] } })
  }),
  'ADD-ASSETS-13 MUST take asset ids and parent codes of 1 and of 255 characters, counted as code points': graphql(
    async (client) => {
      const store = await newStore(gateway)
      const names = ['x', 'é'.repeat(255), astral.repeat(255), '__proto__', ' ', '\uffff']
      const url = 'https://cdn.example/x'
      const outcome = await client.addAssets(
        store,
        names.map((name) => asset(name, name, { url })),
      )
      expect(outcome).toMatchObject({
        data: { added: names.length, linked: names.length, asset_ids: names, failed: 0 },
      })
      for (const name of names) expect(await assetIdsOf(client, store, name)).toEqual([name])
    },
  ),
  'ADD-ASSETS-14 MUST fail an item whose asset id or parent code has 0 or over 255 characters': graphql(
    async (client) => {
      const store = await newStore(gateway)
      const bad = ['', 'x'.repeat(256), astral.repeat(256)]
      const url = 'https://cdn.example/x'
      const items = bad.flatMap((name) => [asset(name, 'P', { url }), asset('a', name, { url })])
      const outcome = await client.addAssets(store, items)
      expect(outcome).toMatchObject({ data: { added: 0, linked: 0, asset_ids: [], failed: 6 } })
      expect(failuresOf(outcome).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
    },
  ),
  'ADD-ASSETS-15 MUST take absolute URLs with a host, of up to 2,048 characters, and keep them as they are': graphql(
    async (client) => {
      const store = await newStore(gateway)
      const stem = 'https://cdn.example/'
      const good = [
        'http://a',
        'HTTPS://CDN.example/../Ä?b=%zz#c',
        's3://bucket/key',
        stem + astral.repeat(2048 - stem.length),
      ]
      const bad = [
        ...['', 'a', '/a', '//cdn.example/a', 'https://', 'data:,x', 'https:///a', 'https://cdn.example/a\n'],
        `${stem}${astral.repeat(2049 - stem.length)}`,
      ]
      const outcome = await client.addAssets(
        store,
        [...good, ...bad].map((url, i) => asset(`${i}`, 'P', { url })),
      )
      expect(outcome).toMatchObject({ data: { added: good.length, failed: bad.length } })
      const urls = (await entriesOf(client, store, 'P')).map((entry, i) => entry[`Image URL ${i + 1}`])
      expect(urls).toEqual(good)
    },
  ),
  'ADD-ASSETS-16 MUST refuse text that cannot be stored unchanged, and add nothing': graphql(async (client) => {
    const store = await newStore(gateway)
    for (const bad of ['\0', 'a\ud800']) {
      const items = [
        asset(bad, 'P'),
        asset('a', bad),
        asset('a', 'P', { channel: bad }),
        asset('a', 'P', { assetFormat: bad }),
        asset('a', 'P', { url: `https://cdn.example/${bad}` }),
      ]
      for (const item of items) {
        const outcome = await client.addAssets(store, [asset('good', 'P'), item])
        expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ index: 1 }] })
      }
    }
    expect(await assetIdsOf(client, store, 'P')).toEqual([])
  }),
  'ADD-ASSETS-17 MUST answer store_not_found for an unknown store': graphql(async (client) => {
    for (const store of [unknownStore(), 'no-uuid']) {
      for (const items of [[], [asset('a', 'P')]]) {
        expect(await client.addAssets(store, items)).toMatchObject({ reason: 'store_not_found' })
      }
    }
  }),
  'ADD-ASSETS-18 MUST succeed with zeros for an empty list': graphql(async (client) => {
    const outcome = await client.addAssets(await newStore(gateway), [])
    expect(outcome).toEqual({ data: { added: 0, linked: 0, asset_ids: [], failed: 0, error_info: [] } })
  }),
  'ADD-ASSETS-19 MUST put an asset that was unlinked back at the end': graphql(async (client) => {
    const links = ['a', 'b', 'c'].map((id): [string, string] => [id, 'P'])
    const store = await storeWithAssets(gateway, links)
    await client.unlinkAssets([{ store_uuid: store, parent_code: 'P', channel: 'SMP', asset_id: 'a' }])
    await addAssets(gateway, store, [['a', 'P']])
    expect(await assetIdsOf(client, store, 'P')).toEqual(['b', 'c', 'a'])
  }),
}))

function asset(assetId: string | undefined, parentCode: string, rest: Item = {}): Item {
  return { assetId, parentCode, url: urlOf(assetId ?? 'nameless'), ...rest }
}
