import { expect } from 'vitest'
import { assetIdsByGroup, type Client, failuresOf } from '../support/clients/client.ts'
import { attempt } from '../support/clients/operations.ts'
import { callRest } from '../support/clients/rest-client.ts'
import { addAssets, newStore, productOf, storeWithProducts } from '../support/factories.ts'
import { graphql, requirements, rest } from './requirement.ts'
import { deleting, selectorRequirements, shop } from './selector-requirements.ts'

requirements('DELETE /assets', (gateway) => ({
  ...selectorRequirements(gateway, deleting),
  'ASSETS-DELETE-03 MUST remove an asset with all its links, in every group': async (client) => {
    const store = await shop(gateway)
    await client.deleteAssets([{ store_uuid: store, asset_id: ['a'] }])
    expect(await assetIdsByGroup(client, store)).toEqual({
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
    expect(await assetIdsByGroup(client, store)).toMatchObject({ 'P SMP pdf': ['a'] })
  },
  'ASSETS-DELETE-05 MUST choose by parent_code alone: the assets linked to it on every channel, in every format':
    async (client) => {
      const store = await shop(gateway)
      const outcome = await client.deleteAssets([{ store_uuid: store, parent_code: 'P' }])
      expect(outcome).toMatchObject({ data: { deleted_count: 4, failed: 0 } })
      expect(await assetIdsByGroup(client, store)).toEqual({ 'R channel_value_1 image': ['r'] })
    },
  'ASSETS-DELETE-06 MUST choose by channel alone: the assets linked on it to any parent code': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.deleteAssets([{ store_uuid: store, channel: 'channel_value_1' }])
    expect(outcome).toMatchObject({ data: { deleted_count: 3, failed: 0 } })
    expect(await assetIdsByGroup(client, store)).toEqual({ 'P SMP image': ['c'], 'P SMP video': ['v'] })
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
      const before = await assetIdsByGroup(client, store)
      const nulls = { channel: null, parent_code: null, asset_id: null }
      const outcome = await client.deleteAssets([{ store_uuid: store }, { store_uuid: store, ...nulls }])
      expect(outcome).toMatchObject({ data: { deleted_count: 0, failed: 2 } })
      expect(failuresOf(outcome)).toMatchObject([
        { reason: 'selector_required', index: 0 },
        { reason: 'selector_required', index: 1 },
      ])
      expect(await assetIdsByGroup(client, store)).toEqual(before)
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
  'ASSETS-DELETE-20b MUST refuse an item that does not fit its GraphQL type, name it, and apply nothing': graphql(
    async (client) => {
      const store = await shop(gateway)
      const good = { storeUuid: store, assetId: 'a' }
      for (const bad of [{}, { assetId: 'a' }, { ...good, channel: 5 }, { ...good, assetId: [5] }, null, 'a']) {
        const outcome = await attempt(gateway, 'deleteAssets', { selectors: [good, bad] })
        expect(outcome, JSON.stringify(bad)).toMatchObject({ reason: 'invalid_request' })
        expect(outcome.entries?.[0]?.details).toMatch(/\$selectors.*\[1\]/)
      }
      expect(await idsOf(client, store)).toContain('a')
    },
  ),
  'ASSETS-DELETE-21 MUST ignore unknown fields of an item, which do not narrow': rest(async () => {
    const store = await shop(gateway)
    const outcome = await callRest(gateway, 'DELETE /assets', [
      { store_uuid: store, asset_id: 'a', asset_format: 'video', ['__proto__']: 1 },
      { store_uuid: store, assetId: 'b' },
    ])
    expect(outcome.data).toMatchObject({ deleted_count: 1, failed: 1, error_info: [{ reason: 'selector_required' }] })
  }),
  'ASSETS-DELETE-25 MUST delete from several stores in one request': async (client) => {
    const stores = [await shop(gateway), await shop(gateway)]
    const outcome = await client.deleteAssets(stores.map((uuid) => ({ store_uuid: uuid, asset_id: 'a' })))
    expect(outcome).toMatchObject({ data: { deleted_count: 2, failed: 0 } })
    for (const store of stores) expect(await idsOf(client, store)).not.toContain('a')
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
    const links = [...names, 'other'].map((name): [string, string] => [name, name])
    await addAssets(gateway, store, links)
    const byId = names.slice(0, 4).map((name) => ({ store_uuid: store, asset_id: name }))
    const byCode = names.slice(4).map((name) => ({ store_uuid: store, parent_code: name }))
    expect(await client.deleteAssets([...byId, ...byCode])).toMatchObject({ data: { deleted_count: 8, failed: 0 } })
    expect(await idsOf(client, store)).toEqual(['other'])
  },
}))

/** The ids of all assets that are linked somewhere, in order. */
async function idsOf(client: Client, store: string): Promise<string[]> {
  return [...new Set(Object.values(await assetIdsByGroup(client, store)).flat())].sort()
}
