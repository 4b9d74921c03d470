import { expect } from 'vitest'
import type { Item, Outcome } from '../support/clients/client.ts'
import { codesIn, outcomeOf } from '../support/clients/rest-client.ts'
import { addAssets, newStore, storeWithAssets, unknownStore, urlOf } from '../support/factories.ts'
import type { TestGateway } from '../support/servers/gateway.ts'
import { requirements, rest } from './requirement.ts'

const astral = '𝒳'
const digits400 = '9'.repeat(400)
/** In the order of their code points, which is not that of their UTF-16 units, nor of any language. */
const codes = [' ', '"', '1002', '9', 'Z9', '__proto__', 'a', 'constructor', 'z', 'é', '\uffff', '\u{10000}', astral]

requirements('GET /assets', (gateway) => ({
  'ASSETS-LIST-01 MUST refuse a request without store_uuid, with details that say that it is required': rest(
    async () => {
      for (const search of ['', '?', '?store_uuid=', '?store_uuid', '?channel=SMP', '?STORE_UUID=x']) {
        const outcome = await get(gateway, search)
        const details = 'store_uuid is required'
        expect(outcome, search).toEqual({
          reason: 'invalid_request',
          entries: [{ reason: 'invalid_request', details, field: 'store_uuid' }],
        })
      }
    },
  ),
  'ASSETS-LIST-02 MUST answer store_not_found for an unknown store': async (client) => {
    const outcome = await client.listAssets({ store_uuid: unknownStore() })
    expect(outcome).toMatchObject({ reason: 'store_not_found', entries: [{}] })
  },
  'ASSETS-LIST-03 MUST clamp a limit above 50 to 50': async (client) => {
    const store = await storeWithGroups(gateway, 52)
    for (const limit of [51, 100, 10_000, 2_147_483_647]) {
      const outcome = await client.listAssets({ store_uuid: store, limit })
      expect(outcome).toMatchObject({ data: { total_groups: 52, returned_groups: 50 } })
      expect(parentsOf(outcome)).toEqual(numbered(52).slice(0, 50))
    }
  },
  'ASSETS-LIST-04 MUST clamp a limit however large, of 400 digits too': rest(async () => {
    const store = await storeWithGroups(gateway, 52)
    for (const limit of ['2147483648', '9007199254740993', '9'.repeat(20), digits400, `0${digits400}`]) {
      const outcome = await get(gateway, `?store_uuid=${store}&limit=${limit}`)
      expect(outcome).toMatchObject({ data: { returned_groups: 50 } })
    }
  }),
  'ASSETS-LIST-05 MUST return 50 groups from the first one by default': async (client) => {
    const store = await storeWithGroups(gateway, 52)
    const outcome = await client.listAssets({ store_uuid: store })
    expect(outcome).toMatchObject({ data: { total_groups: 52, returned_groups: 50 } })
    expect(parentsOf(outcome)).toEqual(numbered(52).slice(0, 50))
  },
  'ASSETS-LIST-06 MUST page by offset and limit: all groups once, and the true total on each page': async (client) => {
    const store = await storeWithGroups(gateway, 12)
    for (const limit of [1, 5, 12, 50]) {
      const seen: string[] = []
      for (let offset = 0; offset < 12; offset += limit) {
        const outcome = await client.listAssets({ store_uuid: store, offset, limit })
        const page = parentsOf(outcome)
        expect(outcome).toMatchObject({ data: { total_groups: 12, returned_groups: page.length } })
        expect(page.length).toBe(Math.min(limit, 12 - offset))
        seen.push(...page)
      }
      expect(seen).toEqual(numbered(12))
    }
  },
  'ASSETS-LIST-07 MUST return an empty page with the true total for an offset past the end': async (client) => {
    const store = await storeWithGroups(gateway, 3)
    for (const offset of [3, 4, 1000, 2_147_483_647]) {
      const outcome = await client.listAssets({ store_uuid: store, offset })
      expect(outcome).toEqual({ data: { total_groups: 3, returned_groups: 0, groups: [] } })
    }
  },
  'ASSETS-LIST-08 MUST take an offset however large for one past the end': rest(async () => {
    const store = await storeWithGroups(gateway, 3)
    for (const offset of ['2147483648', '9223372036854775808', digits400]) {
      const outcome = await get(gateway, `?store_uuid=${store}&offset=${offset}`)
      expect(outcome).toEqual({ data: { total_groups: 3, returned_groups: 0, assets: {} } })
    }
  }),
  'ASSETS-LIST-09 MUST refuse a limit below 1 and an offset below 0': async (client) => {
    const store = await newStore(gateway)
    for (const limit of [0, -1, -2_147_483_648]) {
      const outcome = await client.listAssets({ store_uuid: store, limit })
      expect(outcome, `${limit}`).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'limit' }] })
    }
    for (const offset of [-1, -2_147_483_648]) {
      const outcome = await client.listAssets({ store_uuid: store, offset })
      expect(outcome, `${offset}`).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'offset' }] })
    }
  },
  'ASSETS-LIST-10 MUST refuse a limit and an offset that are no whole numbers': {
    rest: async () => {
      const store = await newStore(gateway)
      const bad = [
        ...['abc', '1.5', '1.0', '1e1', '0x10', '5;', '5,0', 'NaN', 'null', 'Infinity', '-', '--1', '%201', '1%20'],
      ]
      for (const value of [...bad, '+5', '٥', '５', '1_0', '\0', `-${digits400}`]) {
        for (const field of ['limit', 'offset']) {
          const outcome = await get(gateway, `?store_uuid=${store}&${field}=${encodeURIComponent(value)}`)
          expect(outcome, `${field}=${value}`).toMatchObject({ reason: 'invalid_request', entries: [{ field }] })
        }
      }
    },
    graphql: async () => {
      const document = (argument: string) =>
        `{ assetGroups(storeUuid: "${unknownStore()}", ${argument}) { totalGroups } }`
      for (const value of ['1.5', '"5"', 'true', '2147483648', digits400]) {
        for (const field of ['limit', 'offset']) {
          const { errors } = await gateway.graphql(document(`${field}: ${value}`))
          expect(errors?.[0]?.extensions.code, `${field}: ${value}`).toBe('invalid_request')
        }
      }
    },
  },
  'ASSETS-LIST-11 MUST list the channel SMP by default, and the channel asked for otherwise': async (client) => {
    const store = await storeWithAssets(gateway, [
      'a P',
      ['b', 'P', { channel: 'channel_value_1' }],
      ['b', 'Q', { channel: 'channel_value_1' }],
    ])
    const standard = await client.listAssets({ store_uuid: store })
    expect(standard).toMatchObject({ data: { total_groups: 1, groups: [{ parent_code: 'P', channel: 'SMP' }] } })
    const other = await client.listAssets({ store_uuid: store, channel: 'channel_value_1' })
    expect(other).toMatchObject({ data: { total_groups: 2, groups: [{ channel: 'channel_value_1' }, {}] } })
  },
  'ASSETS-LIST-12 MUST list the format image by default, and the format asked for otherwise': async (client) => {
    const store = await storeWithAssets(gateway, ['a P', ['v', 'Q', { assetFormat: 'video' }]])
    const standard = await client.listAssets({ store_uuid: store })
    expect(standard).toMatchObject({ data: { total_groups: 1, groups: [{ parent_code: 'P', asset_type: 'image' }] } })
    const other = await client.listAssets({ store_uuid: store, asset_format: 'video' })
    expect(other).toMatchObject({ data: { total_groups: 1, groups: [{ parent_code: 'Q', asset_type: 'video' }] } })
  },
  'ASSETS-LIST-13 MUST list nothing for an unknown channel': async (client) => {
    const store = await storeWithAssets(gateway, [['a', 'P']])
    for (const channel of ['unknown', 'smp', 'SMP ', '__proto__', astral, "' or ''='", 'x'.repeat(5000)]) {
      const outcome = await client.listAssets({ store_uuid: store, channel })
      expect(outcome).toEqual({ data: { total_groups: 0, returned_groups: 0, groups: [] } })
    }
  },
  'ASSETS-LIST-14 MUST refuse an unknown asset_format with details that name the formats': async (client) => {
    const store = await newStore(gateway)
    for (const format of ['audio', 'Image', 'PDF', '3d', 'image ', '__proto__', 'constructor']) {
      const outcome = await client.listAssets({ store_uuid: store, asset_format: format })
      const details = expect.stringContaining('image, video, pdf, 3D, text')
      expect(outcome, format).toMatchObject({
        reason: 'invalid_request',
        entries: [{ details, field: 'asset_format' }],
      })
    }
  },
  'ASSETS-LIST-15 MUST take an empty query value for an absent one': {
    rest: async () => {
      const store = await storeWithAssets(gateway, [['a', 'P']])
      const outcome = await get(gateway, `?store_uuid=${store}&limit=&offset=&channel=&asset_format`)
      expect(outcome).toMatchObject({
        data: { total_groups: 1, returned_groups: 1, assets: { P: { channel: 'SMP' } } },
      })
    },
    graphql: async () => {
      const store = await storeWithAssets(gateway, [['a', 'P']])
      const document = `query ($store: ID!) {
        assetGroups(storeUuid: $store, limit: null, offset: null, channel: null, assetFormat: null) { returnedGroups }
      }`
      expect(await gateway.data(document, { store })).toEqual({ assetGroups: { returnedGroups: 1 } })
    },
  },
  'ASSETS-LIST-16 MUST answer with total_groups, returned_groups and assets, a map from parent code to group': {
    rest: async () => {
      const store = await storeWithAssets(gateway, ['a P', 'b P', 'c Q'])
      const group = (assets: Item[]) => ({ channel: 'SMP', asset_type: 'image', store_uuid: store, assets })
      expect(await get(gateway, `?store_uuid=${store}`)).toEqual({
        data: {
          total_groups: 2,
          returned_groups: 2,
          assets: {
            P: group([
              { asset_id: 'a', 'Image URL 1': urlOf('a') },
              { asset_id: 'b', 'Image URL 2': urlOf('b') },
            ]),
            Q: group([{ asset_id: 'c', 'Image URL 1': urlOf('c') }]),
          },
        },
      })
    },
    graphql: async () => {
      const store = await storeWithAssets(gateway, ['a P', 'b P'])
      const document = `query ($store: ID!) {
        assetGroups(storeUuid: $store) {
          totalGroups returnedGroups
          groups { parentCode channel assetType storeUuid assets { assetId url position urlField } }
        }
      }`
      const entry = (assetId: string, position: number) => {
        return { assetId, url: urlOf(assetId), position, urlField: `Image URL ${position}` }
      }
      expect(await gateway.data(document, { store })).toEqual({
        assetGroups: {
          totalGroups: 1,
          returnedGroups: 1,
          groups: [
            {
              parentCode: 'P',
              channel: 'SMP',
              assetType: 'image',
              storeUuid: store,
              assets: [entry('a', 1), entry('b', 2)],
            },
          ],
        },
      })
    },
  },
  'ASSETS-LIST-17 MUST answer with an empty map for a store without assets': async (client) => {
    const outcome = await client.listAssets({ store_uuid: await newStore(gateway) })
    expect(outcome).toEqual({ data: { total_groups: 0, returned_groups: 0, groups: [] } })
  },
  'ASSETS-LIST-18 MUST name the URL fields Image, Video, PDF, 3D and Text URL n': async (client) => {
    const words = { image: 'Image', video: 'Video', pdf: 'PDF', '3D': '3D', text: 'Text' }
    const links = Object.keys(words).flatMap((assetFormat) =>
      ['1', '2'].map((n) => [`${assetFormat} ${n}`, 'P', { assetFormat }] as const),
    )
    const store = await storeWithAssets(
      gateway,
      links.map(([id, code, rest]) => [id, code, rest]),
    )
    for (const [format, word] of Object.entries(words)) {
      const outcome = await client.listAssets({ store_uuid: store, asset_format: format })
      expect(assetsOf(outcome, 'P')).toEqual([
        { asset_id: `${format} 1`, [`${word} URL 1`]: urlOf(`${format} 1`) },
        { asset_id: `${format} 2`, [`${word} URL 2`]: urlOf(`${format} 2`) },
      ])
    }
  },
  'ASSETS-LIST-19 MUST number the assets of a group from 1 in its own format, whatever was linked between them': async (
    client,
  ) => {
    const store = await storeWithAssets(gateway, [
      ['v1', 'P', { assetFormat: 'video' }],
      'i1 P',
      ['v2', 'P', { assetFormat: 'video' }],
      ['elsewhere', 'P', { channel: 'channel_value_1' }],
      'i2 P',
    ])
    expect(assetsOf(await client.listAssets({ store_uuid: store }), 'P').map((entry) => Object.keys(entry))).toEqual([
      ['asset_id', 'Image URL 1'],
      ['asset_id', 'Image URL 2'],
    ])
  },
  'ASSETS-LIST-20 MUST take parent code, channel and format together for a group, each with a total of its own': async (
    client,
  ) => {
    const store = await storeWithAssets(gateway, [
      'a P',
      'b Q',
      ['v', 'P', { assetFormat: 'video' }],
      ['a', 'P', { channel: 'channel_value_1' }],
      ['a', 'Q', { channel: 'channel_value_1' }],
      ['a', 'R', { channel: 'channel_value_1' }],
    ])
    const totals = [
      [{}, 2],
      [{ asset_format: 'video' }, 1],
      [{ channel: 'channel_value_1' }, 3],
      [{ channel: 'channel_value_1', asset_format: 'video' }, 0],
    ] as const
    for (const [narrow, total] of totals) {
      const outcome = await client.listAssets({ store_uuid: store, ...narrow })
      expect(outcome).toMatchObject({ data: { total_groups: total, returned_groups: total } })
    }
  },
  'ASSETS-LIST-21 MUST list an asset in each of the groups that it is linked to': async (client) => {
    const store = await storeWithAssets(gateway, [
      'other Q',
      ...['P', 'Q', 'R'].map((code): [string, string] => ['a', code]),
      ['a', 'P', { channel: 'channel_value_1' }],
    ])
    const outcome = await client.listAssets({ store_uuid: store })
    expect(assetsOf(outcome, 'P')).toEqual([{ asset_id: 'a', 'Image URL 1': urlOf('a') }])
    expect(assetsOf(outcome, 'Q')[1]).toEqual({ asset_id: 'a', 'Image URL 2': urlOf('a') })
    expect(assetsOf(outcome, 'R')).toEqual([{ asset_id: 'a', 'Image URL 1': urlOf('a') }])
    const channel = await client.listAssets({ store_uuid: store, channel: 'channel_value_1' })
    expect(assetsOf(channel, 'P')).toEqual([{ asset_id: 'a', 'Image URL 1': urlOf('a') }])
  },
  'ASSETS-LIST-22 MUST not list a group without assets': async (client) => {
    const store = await storeWithAssets(gateway, ['a P', 'b Q', 'c R'])
    await client.unlinkAssets([{ store_uuid: store, parent_code: 'P', channel: 'SMP' }])
    await client.deleteAssets([{ store_uuid: store, asset_id: ['b'] }])
    const outcome = await client.listAssets({ store_uuid: store })
    expect(outcome).toMatchObject({ data: { total_groups: 1, returned_groups: 1, groups: [{ parent_code: 'R' }] } })
  },
  'ASSETS-LIST-23 MUST list the groups of the store asked for and of no other': async (client) => {
    const store = await storeWithAssets(gateway, [['a', 'P']])
    const other = await storeWithAssets(gateway, [['a', 'P', { url: 'https://cdn.example/other' }], 'b Q'])
    expect(await client.listAssets({ store_uuid: store })).toMatchObject({
      data: { total_groups: 1, groups: [{ store_uuid: store, assets: [{ 'Image URL 1': urlOf('a') }] }] },
    })
    expect(await client.listAssets({ store_uuid: other })).toMatchObject({
      data: { total_groups: 2, groups: [{ store_uuid: other }, { store_uuid: other }] },
    })
  },
  'ASSETS-LIST-24 MUST order the groups by parent code, by code point, beyond the BMP too': async (client) => {
    const store = await storeWithParents(gateway, codes.toReversed())
    expect(parentsOf(await client.listAssets({ store_uuid: store }))).toEqual(codes)
    const last = await client.listAssets({ store_uuid: store, offset: codes.length - 2 })
    expect(parentsOf(last)).toEqual(['\u{10000}', astral])
  },
  'ASSETS-LIST-25 MUST keep that order in the JSON text, whatever the codes look like': rest(async () => {
    const store = await storeWithParents(gateway, ['Z9', '9', '1002', 'a'])
    const { text } = await gateway.call(`/v1/assets?store_uuid=${store}`)
    const places = ['"1002":', '"9":', '"Z9":', '"a":'].map((key) => text.indexOf(key))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    const all = await storeWithParents(gateway, codes)
    expect(codesIn((await gateway.call(`/v1/assets?store_uuid=${all}`)).text)).toEqual(codes)
  }),
  'ASSETS-LIST-26 MUST take __proto__ for a parent code like any other': async (client) => {
    const store = await storeWithParents(gateway, ['__proto__', 'constructor'])
    const outcome = await client.listAssets({ store_uuid: store })
    expect(outcome).toMatchObject({ data: { total_groups: 2, returned_groups: 2 } })
    expect(assetsOf(outcome, '__proto__')).toEqual([{ asset_id: '__proto__', 'Image URL 1': urlOf('__proto__') }])
  },
  'ASSETS-LIST-27 MUST list parent codes and asset ids of 255 characters, counted as code points': async (client) => {
    const name = astral.repeat(255)
    const store = await storeWithAssets(gateway, [[name, name, { url: 'https://cdn.example/long' }]])
    const outcome = await client.listAssets({ store_uuid: store })
    expect(assetsOf(outcome, name)).toEqual([{ asset_id: name, 'Image URL 1': 'https://cdn.example/long' }])
  },
  'ASSETS-LIST-28 MUST name every fault in an entry of its own': rest(async () => {
    const { reason, entries } = await get(gateway, '?asset_format=audio&offset=-1&limit=x&channel=%00')
    expect(reason).toBe('invalid_request')
    expect(entries?.map(({ field }) => field).sort()).toEqual([
      'asset_format',
      'channel',
      'limit',
      'offset',
      'store_uuid',
    ])
  }),
  'ASSETS-LIST-29 MUST say what is invalid before that the store is unknown': async (client) => {
    for (const bad of [{ limit: 0 }, { asset_format: 'audio' }, { channel: '\0' }]) {
      const outcome = await client.listAssets({ store_uuid: unknownStore(), ...bad })
      expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ field: Object.keys(bad)[0] }] })
    }
  },
  'ASSETS-LIST-30 MUST count what is added and removed into total_groups at once': async (client) => {
    const store = await storeWithGroups(gateway, 3)
    await addAssets(gateway, store, ['more new', 'more 1'])
    expect(await client.listAssets({ store_uuid: store })).toMatchObject({ data: { total_groups: 4 } })
    await client.deleteAssets([{ store_uuid: store, asset_id: 'more' }])
    expect(await client.listAssets({ store_uuid: store })).toMatchObject({ data: { total_groups: 3 } })
  },
}))

async function get(gateway: TestGateway, search: string): Promise<Outcome> {
  return outcomeOf(await gateway.call(`/v1/assets${search}`))
}

/** The codes of `storeWithGroups`, in order. */
function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${i}`).sort()
}

async function storeWithGroups(gateway: TestGateway, count: number): Promise<string> {
  return storeWithAssets(
    gateway,
    numbered(count).map((code) => ['asset', code]),
  )
}

/** A store in which each parent code has one asset, of the same name. */
async function storeWithParents(gateway: TestGateway, parentCodes: readonly string[]): Promise<string> {
  return storeWithAssets(
    gateway,
    parentCodes.map((code) => [code, code]),
  )
}

interface Group extends Item {
  parent_code: string
  assets: Item[]
}

function parentsOf({ data }: Outcome): string[] {
  return (data as { groups: Group[] }).groups.map(({ parent_code }) => parent_code)
}

function assetsOf({ data }: Outcome, parentCode: string): Item[] {
  const group = (data as { groups: Group[] }).groups.find(({ parent_code }) => parent_code === parentCode)
  expect(group, `the group ${parentCode}`).toBeDefined()
  return group?.assets ?? []
}
