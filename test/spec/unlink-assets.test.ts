import { expect } from 'vitest'
import { assetIdsOf, failuresOf, type Item } from '../support/clients/client.ts'
import { graphqlClient } from '../support/clients/graphql-client.ts'
import { attempt } from '../support/clients/operations.ts'
import { storeWithAssets, urlOf } from '../support/factories.ts'
import { requirements, rest } from './requirement.ts'
import { otherChannel, selectorRequirements, shop, unlinking } from './selector-requirements.ts'

requirements('POST /assets/unlink', (gateway) => ({
  ...selectorRequirements(gateway, unlinking),
  'ASSETS-UNLINK-03 MUST remove the link of the given parent code and channel, and no other': async (client) => {
    const store = await shop(gateway)
    await client.unlinkAssets([from(store, { asset_id: 'a' })])
    expect(await assetIdsOf(client, store, 'P')).toEqual(['b', 'c'])
    expect(await assetIdsOf(client, store, 'P', { channel: otherChannel })).toEqual(['b', 'a'])
    expect(await assetIdsOf(client, store, 'Q')).toEqual(['a', 'b'])
  },
  'ASSETS-UNLINK-04 MUST never remove an asset: linked nowhere, it keeps its URL and format and can be linked again':
    async (client) => {
      const store = await storeWithAssets(gateway, [['a', 'P']])
      await client.unlinkAssets([from(store)])
      expect(await assetIdsOf(client, store, 'P')).toEqual([])
      const add = (url: string) => graphqlClient(gateway).addAssets(store, [{ asset_id: 'a', parent_code: 'P', url }])
      expect(await add('https://cdn.example/other')).toMatchObject({
        data: { added: 0, linked: 0, error_info: [{ reason: 'asset_conflict' }] },
      })
      expect(await add(urlOf('a'))).toMatchObject({ data: { added: 0, linked: 1, error_info: [] } })
      expect(await assetIdsOf(client, store, 'P')).toEqual(['a'])
    },
  'ASSETS-UNLINK-05 MUST require store_uuid, parent_code and channel, name each that is missing, and apply nothing': {
    rest: async (client) => {
      const store = await shop(gateway)
      const good = from(store, { asset_id: 'a' })
      const fields = ['store_uuid', 'parent_code', 'channel']
      const missing = fields.map((field) => ({ ...good, [field]: undefined }))
      const nulls = fields.map((field) => ({ ...good, [field]: null }))
      const { reason, entries } = await client.unlinkAssets([good, ...missing, ...nulls, {}])
      expect(reason).toBe('invalid_request')
      expect(entries?.map(({ index, field }) => [index, field])).toEqual(
        [...fields, ...fields].map((field, i) => [i + 1, field]).concat(fields.map((field) => [7, field])),
      )
      expect(await assetIdsOf(client, store, 'P')).toEqual(['a', 'b', 'c'])
    },
    graphql: async (client) => {
      const store = await shop(gateway)
      const good = { storeUuid: store, parentCode: 'P', channel: 'SMP', assetId: 'a' }
      for (const field of ['storeUuid', 'parentCode', 'channel']) {
        for (const value of [undefined, null]) {
          const outcome = await attempt(gateway, 'unlinkAssets', { links: [good, { ...good, [field]: value }] })
          expect(outcome).toMatchObject({ reason: 'invalid_request' })
          expect(outcome.entries?.[0]?.details).toMatch(new RegExp(`\\$links.*\\[1\\].*${field}`))
        }
      }
      expect(await assetIdsOf(client, store, 'P')).toEqual(['a', 'b', 'c'])
    },
  },
  'ASSETS-UNLINK-08 MUST take asset_id as a string or as a list': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([
      from(store, { asset_id: 'a' }),
      from(store, { asset_id: ['b', 'v'] }),
      from(store, { asset_id: ['b'], channel: otherChannel }),
    ])
    expect(outcome).toMatchObject({ data: { unlinked: 4, failed: 0 } })
    expect(await assetIdsOf(client, store, 'P')).toEqual(['c'])
    expect(await assetIdsOf(client, store, 'P', { asset_format: 'video' })).toEqual([])
    expect(await assetIdsOf(client, store, 'P', { channel: otherChannel })).toEqual(['a'])
  },
  'ASSETS-UNLINK-09 MUST take asset_id left out, or null, for every asset linked there, of every format': async (
    client,
  ) => {
    for (const leftOut of [{}, { asset_id: null }]) {
      const store = await shop(gateway)
      const outcome = await client.unlinkAssets([from(store, leftOut)])
      expect(outcome).toMatchObject({ data: { unlinked: 4, failed: 0 } })
      expect(await assetIdsOf(client, store, 'P')).toEqual([])
      expect(await assetIdsOf(client, store, 'P', { asset_format: 'video' })).toEqual([])
      expect(await assetIdsOf(client, store, 'P', { channel: otherChannel })).toEqual(['b', 'a'])
      expect(await assetIdsOf(client, store, 'Q')).toEqual(['a', 'b'])
    }
  },
  'ASSETS-UNLINK-12 MUST fail an asset that exists but is not linked there as link_not_found': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([
      from(store, { asset_id: 'c', channel: otherChannel }),
      from(store, { asset_id: 'c', parent_code: 'Q' }),
      from(store, { asset_id: 'c', parent_code: 'p' }),
    ])
    expect(outcome).toMatchObject({ data: { unlinked: 0, failed: 3 } })
    const failures = failuresOf(outcome).map(({ reason, index }) => [reason, index])
    expect(failures).toEqual([0, 1, 2].map((index) => ['link_not_found', index]))
  },
  'ASSETS-UNLINK-16 MUST count a link that several items choose once, and the links of one asset each': async (
    client,
  ) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([
      from(store),
      from(store),
      from(store, { asset_id: 'b' }),
      from(store, { asset_id: 'a', channel: otherChannel }),
      from(store, { asset_id: 'a', parent_code: 'Q' }),
    ])
    expect(outcome).toMatchObject({ data: { unlinked: 6, failed: 0 } })
  },
  'ASSETS-UNLINK-19 MUST ignore unknown fields of an item': rest(async (client) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([from(store, { asset_id: 'a', asset_format: 'video', note: null })])
    expect(outcome).toMatchObject({ data: { unlinked: 1, failed: 0 } })
  }),
}))

/** An item that means the parent code P on SMP, unless it says otherwise. */
function from(store: string, rest: Item = {}): Item {
  return { store_uuid: store, parent_code: 'P', channel: 'SMP', ...rest }
}
