import { beforeAll, expect, it } from 'vitest'
import { ask } from '../support/clients/operations.ts'
import { addAssets, storeWithAssets } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
let store: string

beforeAll(async () => {
  store = await storeWithAssets(gateway, [
    ['a1', 'A', { url: 'https://cdn.example/One.jpg' }],
    'a2 A',
    ['a3', 'B', { assetFormat: 'video', url: 'https://cdn.example/one.mp4' }],
    'a4 B',
  ])
  await addAssets(gateway, store, [
    ['a1', 'B', { url: 'https://cdn.example/One.jpg' }],
    ['a1', 'B', { url: 'https://cdn.example/One.jpg', channel: 'channel_value_1' }],
  ])
  const links = [{ storeUuid: store, parentCode: 'B', channel: 'SMP', assetId: ['a4'] }]
  expect(await ask(gateway, 'unlinkAssets', { links }, '{ unlinked }')).toEqual({ unlinked: 1 })
})

async function found(filter: object, page = 'first: 10') {
  const document = `query ($store: ID!, $filter: AssetFilter) {
    store(storeUuid: $store) { assets(filter: $filter, ${page}) { totalCount nodes { assetId } } }
  }`
  const { store: of } = (await gateway.data(document, { store, filter })) as unknown as {
    store: { assets: { totalCount: number; nodes: { assetId: string }[] } }
  }
  return [of.assets.totalCount, of.assets.nodes.map(({ assetId }) => assetId).join(' ')]
}

it.each<[object, string]>([
  [{}, 'a1 a2 a3 a4'],
  [{ unlinked: true }, 'a4'],
  [{ unlinked: false }, 'a1 a2 a3'],
  [{ assetFormat: 'video' }, 'a3'],
  [{ urlContains: '/ONE.' }, 'a1 a3'],
  [{ urlContains: '%' }, ''],
  [{ ids: ['a2', 'none', 'a1'] }, 'a1 a2'],
  [{ ids: [] }, ''],
  [{ unlinked: false, assetFormat: 'image', urlContains: 'one' }, 'a1'],
])('the filter %j finds %j', async (filter, ids) => {
  expect(await found(filter)).toEqual([ids === '' ? 0 : ids.split(' ').length, ids])
})

it('a page from the end has the last ones in order', async () => {
  expect(await found({}, 'last: 2')).toEqual([4, 'a3 a4'])
})

it('an asset has its groups on all channels, by parent code, and its store', async () => {
  const document = `query ($store: ID!, $id: String!) {
    asset(storeUuid: $store, assetId: $id) {
      assetId assetFormat url store { storeUuid }
      groups { parentCode channel assetType assets { assetId position } } one: groups(first: 1) { parentCode }
    }
  }`
  const group = (parentCode: string, channel: string, ...ids: string[]) => {
    return { parentCode, channel, assetType: 'image', assets: ids.map((assetId, i) => ({ assetId, position: i + 1 })) }
  }
  expect(await gateway.data(document, { store: store.toUpperCase(), id: 'a1' })).toEqual({
    asset: {
      assetId: 'a1',
      assetFormat: 'image',
      url: 'https://cdn.example/One.jpg',
      store: { storeUuid: store },
      groups: [group('A', 'SMP', 'a1', 'a2'), group('B', 'SMP', 'a1'), group('B', 'channel_value_1', 'a1')],
      one: [{ parentCode: 'A' }],
    },
  })
  expect(await gateway.data(document, { store, id: 'a4' })).toMatchObject({ asset: { groups: [], one: [] } })
  for (const [of, id] of [
    [store, 'none'],
    ['no-uuid', 'a1'],
    [store.replace(/^./, 'f'), 'a1'],
  ])
    expect(await gateway.data(document, { store: of, id })).toEqual({ asset: null })
})
