import { expect } from 'vitest'
import { ask } from '../support/clients/operations.ts'
import { type NewLink, newStore, storeWithAssets, storeWithProducts, urlOf } from '../support/factories.ts'
import { graphql, requirements } from './requirement.ts'

/** What a few seconds are at most, in ms, on a machine that does other work too. */
const fewSeconds = 20_000
const ids = Array.from({ length: 5_000 }, (_, i) => `asset ${i}`)
const oddIds = ids.filter((_, i) => i % 2)
const group = ids.map((id): NewLink => [id, 'P'])
const repeated = <T>(item: T): T[] => Array.from({ length: 10_000 }, () => item)

/** Apart from the other requirements of these operations, as they take seconds. */
requirements('requests of 10,000 items', (gateway) => ({
  'ASSETS-DELETE-30 MUST take 10,000 items, of a group of thousands, within a few seconds': async (client) => {
    const item = { store_uuid: await storeWithAssets(gateway, group), parent_code: 'P' }
    const started = performance.now()
    const halves = await client.deleteAssets(oddIds.map((id) => ({ ...item, asset_id: id })))
    expect(halves).toMatchObject({ data: { deleted_count: 2_500, failed: 0 } })
    expect(await client.deleteAssets(repeated(item))).toMatchObject({ data: { deleted_count: 2_500, failed: 0 } })
    expect(performance.now() - started).toBeLessThan(fewSeconds)
  },
  'ASSETS-UNLINK-23 MUST take 10,000 items, of a group of thousands, within a few seconds': async (client) => {
    const item = { store_uuid: await storeWithAssets(gateway, group), parent_code: 'P', channel: 'SMP' }
    const started = performance.now()
    expect(await client.unlinkAssets([{ ...item, asset_id: oddIds }])).toMatchObject({ data: { unlinked: 2_500 } })
    expect(await client.unlinkAssets(repeated(item))).toMatchObject({ data: { unlinked: 2_500, failed: 0 } })
    expect(performance.now() - started).toBeLessThan(fewSeconds)
  },
  'WRITES-11 MUST take 10,000 products, each with an attribute of its own, within a few seconds': async (client) => {
    const names = Array.from({ length: 10_000 }, (_, i) => `Attribute ${i}`)
    const store = await storeWithProducts(gateway, names)
    const started = performance.now()
    const body = names.map((name) => ({ product_code: name, [name]: 'x' }))
    expect(await client.updateProducts(store, body)).toMatchObject({ data: { updated_skus: names } })
    expect(performance.now() - started).toBeLessThan(fewSeconds)
  },
  'ADD-ASSETS-20 MUST make 10,000 assets in one request, all of one group, in order': graphql(async () => {
    const store = await newStore(gateway)
    const assetIds = Array.from({ length: 10_000 }, (_, i) => `asset ${i}`)
    const assets = assetIds.map((assetId) => ({ assetId, parentCode: 'P', url: urlOf(assetId) }))
    const added = await ask(gateway, 'addAssets', { storeUuid: store, assets }, '{ added linked failed }')
    expect(added).toEqual({ added: 10_000, linked: 10_000, failed: 0 })
    const { store: found } = await gateway.data(
      `{ store(storeUuid: "${store}") { assetGroups(limit: 1) { groups { assets(first: 10000) { assetId } } } } }`,
    )
    expect(found).toEqual({ assetGroups: { groups: [{ assets: assetIds.map((assetId) => ({ assetId })) }] } })
  }),
}))
