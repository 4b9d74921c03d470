import { expect } from 'vitest'
import { assetIdsOf, failuresOf, type Item, type Outcome } from '../support/clients/client.ts'
import { outcomeOf, restClient } from '../support/clients/rest-client.ts'
import { addAssets, storeWithAssets, unknownStore, urlOf } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { requirements, rest } from './requirement.ts'

const none = { data: { unlinked: 0, failed: 0, error_info: [] } }
const other = 'channel_value_1'

requirements('POST /assets/unlink', (gateway) => ({
  'ASSETS-UNLINK-01 MUST answer with unlinked, failed and error_info, and nothing else': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([from(store, { asset_id: 'a' })])
    expect(outcome).toEqual({ data: { unlinked: 1, failed: 0, error_info: [] } })
  },
  'ASSETS-UNLINK-02 MUST write [{}] for error_info where there is nothing to report': rest(async () => {
    const store = await shop(gateway)
    for (const body of [[], [from(store, { asset_id: 'a' })], [from(store, { asset_id: [] })]]) {
      const { text } = await gateway.call('/v1/assets/unlink', { method: 'POST', body })
      expect(text).toMatch(/"failed":0,"error_info":\[\{\}\]\}\}$/)
    }
  }),
  'ASSETS-UNLINK-03 MUST remove the link of the given parent code and channel, and no other': async (client) => {
    const store = await shop(gateway)
    await client.unlinkAssets([from(store, { asset_id: 'a' })])
    expect(await assetIdsOf(client, store, 'P')).toEqual(['b', 'c'])
    expect(await assetIdsOf(client, store, 'P', { channel: other })).toEqual(['b', 'a'])
    expect(await assetIdsOf(client, store, 'Q')).toEqual(['a'])
  },
  'ASSETS-UNLINK-04 MUST never remove an asset: linked nowhere, it keeps its URL and format and can be linked again':
    async (client) => {
      const store = await storeWithAssets(gateway, [['a', 'P']])
      await client.unlinkAssets([from(store)])
      expect(await assetIdsOf(client, store, 'P')).toEqual([])
      const document = `mutation ($store: ID!, $assets: [NewAsset!]!) {
        addAssets(storeUuid: $store, assets: $assets) { added linked errorInfo { reason } }
      }`
      const add = (url: string) => gateway.data(document, { store, assets: [{ assetId: 'a', parentCode: 'P', url }] })
      const conflict = { added: 0, linked: 0, errorInfo: [{ reason: 'asset_conflict' }] }
      expect(await add('https://cdn.example/other')).toEqual({ addAssets: conflict })
      expect(await add(urlOf('a'))).toEqual({ addAssets: { added: 0, linked: 1, errorInfo: [] } })
      expect(await assetIdsOf(client, store, 'P')).toEqual(['a'])
    },
  'ASSETS-UNLINK-05 MUST require store_uuid, parent_code and channel, name each that is missing, and apply nothing': {
    rest: async () => {
      const store = await shop(gateway)
      const good = from(store, { asset_id: 'a' })
      const fields = ['store_uuid', 'parent_code', 'channel']
      const missing = fields.map((field) => ({ ...good, [field]: undefined }))
      const nulls = fields.map((field) => ({ ...good, [field]: null }))
      const { reason, entries } = await post(gateway, [good, ...missing, ...nulls, {}])
      expect(reason).toBe('invalid_request')
      expect(entries?.map(({ index, field }) => [index, field])).toEqual(
        [...fields, ...fields].map((field, i) => [i + 1, field]).concat(fields.map((field) => [7, field])),
      )
      expect(await assetIdsOf(restClient(gateway), store, 'P')).toEqual(['a', 'b', 'c'])
    },
    graphql: async () => {
      const store = await shop(gateway)
      const document = 'mutation ($links: [AssetUnlink!]!) { unlinkAssets(links: $links) { unlinked } }'
      const good = { storeUuid: store, parentCode: 'P', channel: 'SMP', assetId: 'a' }
      for (const field of ['storeUuid', 'parentCode', 'channel']) {
        for (const value of [undefined, null]) {
          const { errors } = await gateway.graphql(document, { links: [good, { ...good, [field]: value }] })
          expect(errors?.[0]?.extensions.code).toBe('invalid_request')
          expect(errors?.[0]?.message).toMatch(new RegExp(`\\$links.*\\[1\\].*${field}`))
        }
      }
      expect(await assetIdsOf(restClient(gateway), store, 'P')).toEqual(['a', 'b', 'c'])
    },
  },
  'ASSETS-UNLINK-06 MUST refuse wrongly typed fields, name each such item, and apply nothing': rest(async () => {
    const store = await shop(gateway)
    const good = from(store, { asset_id: 'a' })
    const bad = [
      { ...good, store_uuid: 5 },
      { ...good, parent_code: ['P'] },
      { ...good, channel: {} },
      { ...good, asset_id: 5 },
      { ...good, asset_id: [5] },
      { ...good, asset_id: {} },
      null,
      'a',
      [],
    ]
    const { reason, entries = [] } = await post(gateway, [good, ...bad])
    expect(reason).toBe('invalid_request')
    expect([...new Set(entries.map(({ index }) => index))]).toEqual(bad.map((_, i) => i + 1))
    for (const { index, details } of entries) expect(details).toContain(`item ${index}`)
    expect(await assetIdsOf(restClient(gateway), store, 'P')).toEqual(['a', 'b', 'c'])
  }),
  'ASSETS-UNLINK-07 MUST refuse a body that is no array': rest(async () => {
    const store = await shop(gateway)
    for (const body of [from(store), 'null', '"a"', '1', '', undefined]) {
      expect(await post(gateway, body), String(body)).toMatchObject({ reason: 'invalid_request' })
    }
  }),
  'ASSETS-UNLINK-08 MUST take asset_id as a string or as a list': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([
      from(store, { asset_id: 'a' }),
      from(store, { asset_id: ['b', 'v'] }),
      from(store, { asset_id: ['b'], channel: other }),
    ])
    expect(outcome).toMatchObject({ data: { unlinked: 4, failed: 0 } })
    expect(await assetIdsOf(client, store, 'P')).toEqual(['c'])
    expect(await assetIdsOf(client, store, 'P', { asset_format: 'video' })).toEqual([])
    expect(await assetIdsOf(client, store, 'P', { channel: other })).toEqual(['a'])
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
      expect(await assetIdsOf(client, store, 'P', { channel: other })).toEqual(['b', 'a'])
      expect(await assetIdsOf(client, store, 'Q')).toEqual(['a'])
    }
  },
  'ASSETS-UNLINK-10 MUST unlink nothing and fail nothing for an empty list': async (client) => {
    const store = await shop(gateway)
    const body = [from(store, { asset_id: [] }), from(store, { asset_id: [], parent_code: 'nowhere' })]
    expect(await client.unlinkAssets(body)).toEqual(none)
    expect(await assetIdsOf(client, store, 'P')).toEqual(['a', 'b', 'c'])
  },
  'ASSETS-UNLINK-11 MUST fail each unknown asset as link_not_found, and go ahead with the others': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([
      from(store, { asset_id: 'a' }),
      from(store, { asset_id: ['x', 'b', 'A', ''] }),
    ])
    expect(outcome).toMatchObject({ data: { unlinked: 2, failed: 3 } })
    const where = { index: 1, store_uuid: store, channel: 'SMP', parent_code: 'P' }
    const failure = { reason: 'link_not_found', details: expect.stringMatching(/\S/), ...where }
    expect(failuresOf(outcome)).toEqual(['x', 'A', ''].map((id) => ({ ...failure, asset_id: id })))
  },
  'ASSETS-UNLINK-12 MUST fail an asset that exists but is not linked there as link_not_found': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([
      from(store, { asset_id: 'c', channel: other }),
      from(store, { asset_id: 'c', parent_code: 'Q' }),
      from(store, { asset_id: 'c', parent_code: 'p' }),
    ])
    expect(outcome).toMatchObject({ data: { unlinked: 0, failed: 3 } })
    const failures = failuresOf(outcome).map(({ reason, index }) => [reason, index])
    expect(failures).toEqual([0, 1, 2].map((index) => ['link_not_found', index]))
  },
  'ASSETS-UNLINK-13 MUST fail an empty group once, as link_not_found': async (client) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([
      from(store, { parent_code: 'nowhere' }),
      from(store, { channel: 'nowhere' }),
      from(store, { parent_code: '', channel: '' }),
    ])
    expect(outcome).toMatchObject({ data: { unlinked: 0, failed: 3 } })
    const failures = failuresOf(outcome).map(({ reason, index }) => [reason, index])
    expect(failures).toEqual([0, 1, 2].map((index) => ['link_not_found', index]))
  },
  'ASSETS-UNLINK-14 MUST fail an item of an unknown store as store_not_found with HTTP 200, and go ahead with the others':
    async (client) => {
      const store = await shop(gateway)
      const unknown = unknownStore()
      const outcome = await client.unlinkAssets([
        from(unknown, { asset_id: ['a', 'b', 'a'] }),
        from('no-uuid'),
        from(store, { asset_id: 'a' }),
      ])
      expect(outcome).toMatchObject({ data: { unlinked: 1, failed: 3 } })
      expect(failuresOf(outcome)).toMatchObject([
        { reason: 'store_not_found', index: 0, store_uuid: unknown, asset_id: 'a' },
        { reason: 'store_not_found', index: 0, store_uuid: unknown, asset_id: 'b' },
        { reason: 'store_not_found', index: 1, store_uuid: 'no-uuid', parent_code: 'P' },
      ])
    },
  'ASSETS-UNLINK-15 MUST count an id that is named twice for one parent code and channel once, found or not': async (
    client,
  ) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([
      from(store, { asset_id: ['a', 'x', 'a', 'x'] }),
      from(store.toUpperCase(), { asset_id: ['x', 'a'] }),
      from(store, { asset_id: 'a' }),
    ])
    expect(outcome).toMatchObject({ data: { unlinked: 1, failed: 1 } })
    expect(failuresOf(outcome)).toMatchObject([{ reason: 'link_not_found', index: 0, asset_id: 'x' }])
  },
  'ASSETS-UNLINK-16 MUST count a link that several items choose once, and the links of one asset each': async (
    client,
  ) => {
    const store = await shop(gateway)
    const outcome = await client.unlinkAssets([
      from(store),
      from(store),
      from(store, { asset_id: 'b' }),
      from(store, { asset_id: 'a', channel: other }),
      from(store, { asset_id: 'a', parent_code: 'Q' }),
    ])
    expect(outcome).toMatchObject({ data: { unlinked: 6, failed: 0 } })
  },
  'ASSETS-UNLINK-17 MUST leave positions without gaps': async (client) => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    const store = await storeWithAssets(
      gateway,
      ids.map((id) => [id, 'P']),
    )
    await client.unlinkAssets([from(store, { asset_id: ['a', 'd'] })])
    const entries = ['b', 'c', 'e'].map((id, i) => ({ asset_id: id, [`Image URL ${i + 1}`]: urlOf(id) }))
    expect(await client.listAssets({ store_uuid: store })).toMatchObject({ data: { groups: [{ assets: entries }] } })
    await addAssets(gateway, store, [['f', 'P']])
    expect(await assetIdsOf(client, store, 'P')).toEqual(['b', 'c', 'e', 'f'])
  },
  'ASSETS-UNLINK-18 MUST succeed with zeros for an empty array': async (client) => {
    expect(await client.unlinkAssets([])).toEqual(none)
  },
  'ASSETS-UNLINK-19 MUST ignore unknown fields of an item': rest(async () => {
    const store = await shop(gateway)
    const outcome = await post(gateway, [from(store, { asset_id: 'a', asset_format: 'video', note: null })])
    expect(outcome).toMatchObject({ data: { unlinked: 1, failed: 0 } })
  }),
  'ASSETS-UNLINK-20 MUST refuse text that could not be stored unchanged, in any field, and apply nothing': async (
    client,
  ) => {
    const store = await shop(gateway)
    const good = from(store, { asset_id: 'a' })
    for (const bad of ['\0', 'x\ud800', '\udc00']) {
      for (const field of ['store_uuid', 'channel', 'parent_code', 'asset_id']) {
        const outcome = await client.unlinkAssets([good, { ...good, [field]: bad }])
        expect(outcome, field).toMatchObject({ reason: 'invalid_request', entries: [{ index: 1 }] })
      }
      expect(await client.unlinkAssets([good, { ...good, asset_id: ['b', bad] }])).toMatchObject({
        reason: 'invalid_request',
      })
    }
    expect(await assetIdsOf(client, store, 'P')).toEqual(['a', 'b', 'c'])
  },
  'ASSETS-UNLINK-21 MUST not touch links of the same names in another store': async (client) => {
    const [store, elsewhere] = [await shop(gateway), await shop(gateway)]
    await client.unlinkAssets([from(store)])
    expect(await assetIdsOf(client, elsewhere, 'P')).toEqual(['a', 'b', 'c'])
  },
  'ASSETS-UNLINK-22 MUST answer link_not_found for what was unlinked before': async (client) => {
    const store = await shop(gateway)
    const body = [from(store, { asset_id: 'a' })]
    await client.unlinkAssets(body)
    expect(failuresOf(await client.unlinkAssets(body))).toMatchObject([{ reason: 'link_not_found', asset_id: 'a' }])
  },
}))

/** A store in which P has images and a video on SMP and images on another channel, and Q shares one of them. */
async function shop(gateway: TestGateway): Promise<string> {
  return storeWithAssets(gateway, [
    ['a', 'P'],
    ['b', 'P'],
    ['c', 'P'],
    ['v', 'P', { assetFormat: 'video' }],
    ['b', 'P', { channel: other }],
    ['a', 'P', { channel: other }],
    ['a', 'Q'],
  ])
}

/** An item that means the parent code P on SMP, unless it says otherwise. */
function from(store: string, rest: Item = {}): Item {
  return { store_uuid: store, parent_code: 'P', channel: 'SMP', ...rest }
}

async function post(gateway: TestGateway, body: unknown): Promise<Outcome> {
  return outcomeOf(await gateway.call('/v1/assets/unlink', { method: 'POST', body }))
}
