import { expect } from 'vitest'
import { type Client, failuresOf } from '../support/clients/client.ts'
import { outcomeOf, restClient } from '../support/clients/rest-client.ts'
import {
  addAssets,
  newStore,
  productOf,
  storeWithAssets,
  storeWithProducts,
  unknownStore,
  urlOf,
} from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { requirements, rest } from './requirement.ts'

const none = { data: { deleted_count: 0, failed: 0, error_info: [] } }

requirements('DELETE /assets', (gateway) => ({
  'ASSETS-DELETE-01 MUST answer with deleted_count, failed and error_info, and nothing else': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.deleteAssets([{ store_uuid: store, asset_id: ['a'] }])
    expect(outcome).toEqual({ data: { deleted_count: 1, failed: 0, error_info: [] } })
  },
  'ASSETS-DELETE-02 MUST write [{}] for error_info where there is nothing to report': rest(async () => {
    const store = await shop(gateway)
    for (const body of [[], [{ store_uuid: store, asset_id: ['a'] }], [{ store_uuid: store, asset_id: [] }]]) {
      const { text } = await gateway.call('/v1/assets', { method: 'DELETE', body })
      expect(text).toMatch(/"failed":0,"error_info":\[\{\}\]\}\}$/)
    }
  }),
  'ASSETS-DELETE-03 MUST remove an asset with all its links, in every group': async (client) => {
    const store = await shop(gateway)
    await client.deleteAssets([{ store_uuid: store, asset_id: ['a'] }])
    expect(await contents(client, store)).toEqual({
      'P SMP image': ['b', 'c'],
      'P SMP video': ['v'],
      'P channel_value_1 image': ['b'],
      'Q SMP image': ['b'],
      'R channel_value_1 image': ['r'],
    })
  },
  'ASSETS-DELETE-04 MUST remove the asset itself: its id is free for another URL and format': async (client) => {
    const store = await shop(gateway)
    await client.deleteAssets([{ store_uuid: store, asset_id: ['a'] }])
    await addAssets(gateway, store, [['a', 'P', { url: 'https://cdn.example/new', assetFormat: 'pdf' }]])
    expect(await contents(client, store)).toMatchObject({ 'P SMP pdf': ['a'] })
  },
  'ASSETS-DELETE-05 MUST choose by parent_code alone: the assets linked to it on every channel, in every format':
    async (client) => {
      const store = await shop(gateway)
      const outcome = await client.deleteAssets([{ store_uuid: store, parent_code: 'P' }])
      expect(outcome).toMatchObject({ data: { deleted_count: 4, failed: 0 } })
      expect(await contents(client, store)).toEqual({ 'R channel_value_1 image': ['r'] })
    },
  'ASSETS-DELETE-06 MUST choose by channel alone: the assets linked on it to any parent code': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.deleteAssets([{ store_uuid: store, channel: 'channel_value_1' }])
    expect(outcome).toMatchObject({ data: { deleted_count: 3, failed: 0 } })
    expect(await contents(client, store)).toEqual({ 'P SMP image': ['c'], 'P SMP video': ['v'] })
  },
  'ASSETS-DELETE-07 MUST narrow by channel and parent_code together': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.deleteAssets([{ store_uuid: store, channel: 'channel_value_1', parent_code: 'P' }])
    expect(outcome).toMatchObject({ data: { deleted_count: 2, failed: 0 } })
    expect(await idsOf(client, store)).toEqual(['c', 'r', 'v'])
  },
  'ASSETS-DELETE-08 MUST narrow ids by channel and by parent_code: one that is not linked there is asset_not_found and stays':
    async (client) => {
      const narrows = [
        { channel: 'channel_value_1' },
        { parent_code: 'P' },
        { channel: 'channel_value_1', parent_code: 'P' },
      ]
      const expected = [['b', 'r'], ['b', 'c'], ['b']]
      for (const [i, narrow] of narrows.entries()) {
        const store = await shop(gateway)
        const ids = ['b', 'c', 'r']
        const outcome = await client.deleteAssets([{ store_uuid: store, asset_id: ids, ...narrow }])
        const kept = ids.filter((id) => !expected[i]?.includes(id))
        expect(outcome).toMatchObject({ data: { deleted_count: expected[i]?.length, failed: kept.length } })
        expect(failuresOf(outcome)).toMatchObject(kept.map((id) => ({ reason: 'asset_not_found', asset_id: id })))
        expect(await idsOf(client, store)).toEqual(expect.arrayContaining(kept))
      }
    },
  'ASSETS-DELETE-09 MUST refuse an item with none of channel, parent_code and asset_id: failed + 1, selector_required, nothing deleted':
    async (client) => {
      const store = await shop(gateway)
      const before = await contents(client, store)
      const nulls = { channel: null, parent_code: null, asset_id: null }
      const outcome = await client.deleteAssets([{ store_uuid: store }, { store_uuid: store, ...nulls }])
      expect(outcome).toMatchObject({ data: { deleted_count: 0, failed: 2 } })
      expect(failuresOf(outcome)).toMatchObject([
        { reason: 'selector_required', index: 0 },
        { reason: 'selector_required', index: 1 },
      ])
      expect(await contents(client, store)).toEqual(before)
    },
  'ASSETS-DELETE-10 MUST choose nothing and fail nothing for an empty asset_id list, whatever else is given': async (
    client,
  ) => {
    const store = await shop(gateway)
    const before = await contents(client, store)
    const empty = { store_uuid: store, asset_id: [] }
    const body = [empty, { ...empty, parent_code: 'P' }, { ...empty, channel: 'SMP', parent_code: 'nowhere' }]
    expect(await client.deleteAssets(body)).toEqual(none)
    expect(await contents(client, store)).toEqual(before)
  },
  'ASSETS-DELETE-11 MUST take null for left out': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.deleteAssets([
      { store_uuid: store, channel: null, parent_code: 'R', asset_id: null },
      { store_uuid: store, channel: null, parent_code: null, asset_id: ['c'] },
    ])
    expect(outcome).toMatchObject({ data: { deleted_count: 2, failed: 0 } })
    expect(await idsOf(client, store)).toEqual(['a', 'b', 'v'])
  },
  'ASSETS-DELETE-12 MUST take a single string for a list of one': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.deleteAssets([{ store_uuid: store, asset_id: 'a' }])
    expect(outcome).toMatchObject({ data: { deleted_count: 1, failed: 0 } })
    expect(await idsOf(client, store)).toEqual(['b', 'c', 'r', 'v'])
  },
  'ASSETS-DELETE-13 MUST count an id that is named twice once, found or not, in one item or several': async (
    client,
  ) => {
    const store = await shop(gateway)
    const outcome = await client.deleteAssets([
      { store_uuid: store, asset_id: ['a', 'x', 'a', 'x'] },
      { store_uuid: store.toUpperCase(), asset_id: ['x', 'a'] },
      { store_uuid: store, asset_id: 'a' },
    ])
    expect(outcome).toMatchObject({ data: { deleted_count: 1, failed: 1 } })
    expect(failuresOf(outcome)).toMatchObject([{ reason: 'asset_not_found', index: 0, asset_id: 'x' }])
  },
  'ASSETS-DELETE-14 MUST count an asset that several items choose once': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.deleteAssets([
      { store_uuid: store, parent_code: 'P' },
      { store_uuid: store, channel: 'SMP' },
      { store_uuid: store, parent_code: 'P' },
      { store_uuid: store, asset_id: ['a', 'b'] },
    ])
    expect(outcome).toMatchObject({ data: { deleted_count: 4, failed: 0 } })
  },
  'ASSETS-DELETE-15 MUST fail each id that is named and not found, as asset_not_found with its index, and go ahead with the others':
    async (client) => {
      const store = await shop(gateway)
      const outcome = await client.deleteAssets([
        { store_uuid: store, asset_id: ['a'] },
        { store_uuid: store, asset_id: ['x', 'b', 'A', ''], channel: 'SMP', parent_code: 'P' },
      ])
      expect(outcome).toMatchObject({ data: { deleted_count: 2, failed: 3 } })
      const where = { index: 1, store_uuid: store, channel: 'SMP', parent_code: 'P' }
      const failure = { reason: 'asset_not_found', details: expect.stringMatching(/\S/), ...where }
      expect(failuresOf(outcome)).toEqual(['x', 'A', ''].map((id) => ({ ...failure, asset_id: id })))
    },
  'ASSETS-DELETE-16 MUST fail an item without ids that matched nothing once, as asset_not_found': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.deleteAssets([
      { store_uuid: store, parent_code: 'nowhere' },
      { store_uuid: store, channel: 'nowhere' },
      { store_uuid: store, parent_code: 'R', channel: 'SMP' },
      { store_uuid: store, parent_code: '' },
      { store_uuid: store, parent_code: 'nowhere' },
    ])
    expect(outcome).toMatchObject({ data: { deleted_count: 0, failed: 5 } })
    const indexes = failuresOf(outcome).map(({ reason, index }) => [reason, index])
    expect(indexes).toEqual([0, 1, 2, 3, 4].map((index) => ['asset_not_found', index]))
  },
  'ASSETS-DELETE-17 MUST fail an item of an unknown store as store_not_found with HTTP 200, once for each id, and go ahead with the others':
    async (client) => {
      const store = await shop(gateway)
      const unknown = unknownStore()
      const outcome = await client.deleteAssets([
        { store_uuid: unknown, asset_id: ['a', 'b', 'a'] },
        { store_uuid: 'no-uuid', parent_code: 'P' },
        { store_uuid: store, asset_id: 'a' },
      ])
      expect(outcome).toMatchObject({ data: { deleted_count: 1, failed: 3 } })
      expect(failuresOf(outcome)).toMatchObject([
        { reason: 'store_not_found', index: 0, store_uuid: unknown, asset_id: 'a' },
        { reason: 'store_not_found', index: 0, store_uuid: unknown, asset_id: 'b' },
        { reason: 'store_not_found', index: 1, store_uuid: 'no-uuid', parent_code: 'P' },
      ])
    },
  'ASSETS-DELETE-18 MUST succeed with zeros for an empty array': async (client) => {
    expect(await client.deleteAssets([])).toEqual(none)
  },
  'ASSETS-DELETE-19 MUST refuse a body that is no array, and a missing one, which never means everything': rest(
    async () => {
      const store = await shop(gateway)
      for (const body of [{ store_uuid: store, asset_id: ['a'] }, 'null', `"${store}"`, '1', '', undefined]) {
        const outcome = outcomeOf(await gateway.call('/v1/assets', { method: 'DELETE', body }))
        expect(outcome, String(body)).toMatchObject({ reason: 'invalid_request' })
      }
    },
  ),
  'ASSETS-DELETE-20 MUST refuse a request with a missing or wrongly typed field, name each such item, and apply nothing':
    {
      rest: async () => {
        const store = await shop(gateway)
        const good = { store_uuid: store, asset_id: 'a' }
        const bad = [
          {},
          { store_uuid: null, asset_id: 'a' },
          { store_uuid: 5, asset_id: 'a' },
          { ...good, channel: 5 },
          { ...good, channel: ['SMP'] },
          { ...good, parent_code: {} },
          { ...good, asset_id: 5 },
          { ...good, asset_id: { 0: 'a' } },
          { ...good, asset_id: ['a', 5] },
          { ...good, asset_id: [null] },
          { ...good, asset_id: [['a']] },
          null,
          'a',
          [good],
        ]
        const body = [good, ...bad, good]
        const { reason, entries = [] } = outcomeOf(await gateway.call('/v1/assets', { method: 'DELETE', body }))
        expect(reason).toBe('invalid_request')
        expect([...new Set(entries.map(({ index }) => index))]).toEqual(bad.map((_, i) => i + 1))
        for (const { index, details } of entries) expect(details).toContain(`item ${index}`)
        expect(await idsOf(restClient(gateway), store)).toContain('a')
      },
      graphql: async () => {
        const store = await shop(gateway)
        const document = 'mutation ($s: [AssetSelector!]!) { deleteAssets(selectors: $s) { deletedCount } }'
        const good = { storeUuid: store, assetId: 'a' }
        for (const bad of [{}, { assetId: 'a' }, { ...good, channel: 5 }, { ...good, assetId: [5] }, null, 'a']) {
          const { errors } = await gateway.graphql(document, { s: [good, bad] })
          expect(errors?.[0]?.extensions.code, JSON.stringify(bad)).toBe('invalid_request')
          expect(errors?.[0]?.message).toMatch(/\$s.*\[1\]/)
        }
        expect(await idsOf(restClient(gateway), store)).toContain('a')
      },
    },
  'ASSETS-DELETE-21 MUST ignore unknown fields of an item, which do not narrow': rest(async () => {
    const store = await shop(gateway)
    const body = [
      { store_uuid: store, asset_id: 'a', asset_format: 'video', ['__proto__']: 1 },
      { store_uuid: store, assetId: 'b' },
    ]
    const outcome = outcomeOf(await gateway.call('/v1/assets', { method: 'DELETE', body }))
    expect(outcome).toMatchObject({
      data: { deleted_count: 1, failed: 1, error_info: [{ reason: 'selector_required' }] },
    })
  }),
  'ASSETS-DELETE-22 MUST refuse text that could not be stored unchanged, in any field, and apply nothing': async (
    client,
  ) => {
    const store = await shop(gateway)
    const good = { store_uuid: store, asset_id: 'a' }
    for (const bad of ['\0', 'x\ud800', '\udc00']) {
      for (const field of ['store_uuid', 'channel', 'parent_code', 'asset_id']) {
        const outcome = await client.deleteAssets([good, { ...good, [field]: bad }])
        expect(outcome, field).toMatchObject({ reason: 'invalid_request', entries: [{ index: 1 }] })
      }
      const listed = await client.deleteAssets([good, { ...good, asset_id: ['b', bad] }])
      expect(listed).toMatchObject({ reason: 'invalid_request' })
    }
    expect(await idsOf(client, store)).toEqual(['a', 'b', 'c', 'r', 'v'])
  },
  'ASSETS-DELETE-23 MUST leave positions without gaps': async (client) => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    const store = await storeWithAssets(
      gateway,
      ids.map((id): [string, string] => [id, 'P']),
    )
    await client.deleteAssets([{ store_uuid: store, asset_id: ['a', 'd'] }])
    expect(await client.listAssets({ store_uuid: store })).toMatchObject({
      data: {
        groups: [
          {
            assets: [
              { asset_id: 'b', 'Image URL 1': urlOf('b') },
              { asset_id: 'c', 'Image URL 2': urlOf('c') },
              { asset_id: 'e', 'Image URL 3': urlOf('e') },
            ],
          },
        ],
      },
    })
  },
  'ASSETS-DELETE-24 MUST not touch assets of the same ids, parent codes and channels in another store': async (
    client,
  ) => {
    const [store, other] = [await shop(gateway), await shop(gateway)]
    const before = await contents(client, other)
    const outcome = await client.deleteAssets([
      { store_uuid: store, asset_id: ['a'] },
      { store_uuid: store, parent_code: 'P' },
      { store_uuid: store, channel: 'SMP' },
    ])
    expect(outcome).toMatchObject({ data: { deleted_count: 4 } })
    expect(await contents(client, other)).toEqual(before)
  },
  'ASSETS-DELETE-25 MUST delete from several stores in one request': async (client) => {
    const stores = [await shop(gateway), await shop(gateway)]
    const outcome = await client.deleteAssets(stores.map((uuid) => ({ store_uuid: uuid, asset_id: 'a' })))
    expect(outcome).toMatchObject({ data: { deleted_count: 2, failed: 0 } })
    for (const store of stores) expect(await idsOf(client, store)).not.toContain('a')
  },
  'ASSETS-DELETE-26 MUST answer asset_not_found for what was deleted before': async (client) => {
    const store = await shop(gateway)
    const body = [{ store_uuid: store, asset_id: 'a' }]
    await client.deleteAssets(body)
    const outcome = await client.deleteAssets(body)
    expect(outcome).toMatchObject({ data: { deleted_count: 0, failed: 1 } })
    expect(failuresOf(outcome)).toMatchObject([{ reason: 'asset_not_found', asset_id: 'a' }])
  },
  'ASSETS-DELETE-27 MUST delete an asset that is linked nowhere, by its id': async (client) => {
    const store = await shop(gateway)
    await client.unlinkAssets([{ store_uuid: store, parent_code: 'R', channel: 'channel_value_1' }])
    const outcome = await client.deleteAssets([{ store_uuid: store, asset_id: 'r' }])
    expect(outcome).toMatchObject({ data: { deleted_count: 1, failed: 0 } })
  },
  'ASSETS-DELETE-28 MUST leave the product of the parent code as it is': async (client) => {
    const store = await storeWithProducts(gateway, ['P'])
    await addAssets(gateway, store, [['a', 'P']])
    const before = await productOf(gateway, store, 'P')
    await client.deleteAssets([{ store_uuid: store, parent_code: 'P' }])
    expect(await productOf(gateway, store, 'P')).toEqual(before)
  },
  'ASSETS-DELETE-29 MUST take __proto__, quotes and wildcards for ids and codes like any other': async (client) => {
    const names = ['__proto__', '%', '_', '*', "'", '"', '\\', '\u{10ffff}']
    const store = await newStore(gateway)
    await addAssets(
      gateway,
      store,
      [...names, 'other'].map((name) => [name, name]),
    )
    const byId = names.slice(0, 4).map((name) => ({ store_uuid: store, asset_id: name }))
    const byCode = names.slice(4).map((name) => ({ store_uuid: store, parent_code: name }))
    expect(await client.deleteAssets([...byId, ...byCode])).toMatchObject({ data: { deleted_count: 8, failed: 0 } })
    expect(await idsOf(client, store)).toEqual(['other'])
  },
}))

/** A store: `a` and `b` are in several groups, `c` in one, `v` is a video, `r` is on another channel only. */
async function shop(gateway: TestGateway): Promise<string> {
  const other = { channel: 'channel_value_1' }
  return storeWithAssets(gateway, [
    ['a', 'P'],
    ['b', 'P'],
    ['c', 'P'],
    ['v', 'P', { assetFormat: 'video' }],
    ['b', 'P', other],
    ['a', 'P', other],
    ['a', 'Q'],
    ['b', 'Q'],
    ['r', 'R', other],
  ])
}

/** The ids of every group of the store, by `parent code, channel, format`. */
async function contents(client: Client, store: string): Promise<Record<string, string[]>> {
  const groups: Record<string, string[]> = {}
  for (const channel of ['SMP', 'channel_value_1']) {
    for (const asset_format of ['image', 'video', 'pdf']) {
      const { data } = await client.listAssets({ store_uuid: store, channel, asset_format })
      const page = data as { total_groups: number; groups: { parent_code: string; assets: { asset_id: string }[] }[] }
      expect(page.total_groups).toBe(page.groups.length)
      for (const { parent_code, assets } of page.groups) {
        groups[`${parent_code} ${channel} ${asset_format}`] = assets.map(({ asset_id }) => asset_id)
      }
    }
  }
  return groups
}

/** The ids of all assets that are linked somewhere, in order. */
async function idsOf(client: Client, store: string): Promise<string[]> {
  return [...new Set(Object.values(await contents(client, store)).flat())].sort()
}
