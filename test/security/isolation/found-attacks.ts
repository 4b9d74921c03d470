import { type Attacker, graphql, type Request, times } from './attacker.ts'
import { fill } from './attacks.ts'
import type { Attack } from './two-tenants.ts'

const addAssets = `mutation ($store: ID!, $assets: [NewAsset!]!) { addAssets(storeUuid: $store, assets: $assets) { added } }`

const together = (attacker: Attacker, copies: number, request: Request) =>
  attacker.send(...times(copies, () => request))

/** Cases that the random attacks, or a reading of the bounds, have led to. */
export const foundAttacks: Attack[] = [
  {
    name: 'listing of 15 MB, twenty at once',
    isLong: true,
    prepare: async (attacker) => {
      for (let page = 0; page < 2; page++) {
        const assets = times(3_700, (i) => ({
          parentCode: `P${i % 50}`,
          url: `https://cdn.example/${'u'.repeat(2_000)}${page}/${i}`,
        }))
        await attacker.send(graphql(addAssets, { store: attacker.store, assets }))
      }
    },
    run: (attacker) => together(attacker, 20, { path: `/v1/assets?store_uuid=${attacker.store}` }),
  },
  {
    name: 'products of 16 MB, twenty at once',
    isLong: true,
    prepare: (attacker) => fill(attacker, 4, () => Object.fromEntries(times(62, (i) => [`n${i}`, 'x'.repeat(65_000)]))),
    run: (attacker) => together(attacker, 20, { path: `/v1/products?store_uuid=${attacker.store}` }),
  },
  {
    name: 'slow reads on all connections',
    isLong: true,
    prepare: (attacker) => fill(attacker, 60_000, () => ({})),
    run: async (attacker) => {
      const query = `query ($store: ID!) { store(storeUuid: $store) { ${times(19, (i) => `f${i}: products(filter: { search: "zz${i}" }) { totalCount }`).join(' ')} } }`
      await together(attacker, 60, graphql(query, { store: attacker.store }))
    },
  },
  {
    name: 'twenty root fields of 10,000 products',
    isLong: true,
    run: async (attacker) => {
      const field = 'upsertProducts(storeUuid: $store, products: $products)'
      const query = `mutation ($store: ID!, $products: [ProductPatch!]!) { ${times(20, (i) => `f${i}: ${field} { createdSkus }`).join(' ')} }`
      const products = times(10_000, (i) => ({ productCode: `P${i}`, attributes: { Text: 'x'.repeat(900) } }))
      await attacker.send(graphql(query, { store: attacker.store, products }, { hasSeveral: true }))
    },
  },
  {
    name: 'objects of 5,000 names, a hundred at once',
    isLong: true,
    run: async (attacker) => {
      const product = { product_code: 'P', ...Object.fromEntries(times(5_000, (i) => [`n${i}`, ''])) }
      await together(attacker, 100, {
        method: 'PUT',
        path: `/v1/products?store_uuid=${attacker.store}`,
        body: [product],
      })
    },
  },
  {
    name: 'moves in a group of 100,000 assets',
    isLong: true,
    prepare: async (attacker) => {
      for (let page = 0; page < 10; page++) {
        const assets = times(10_000, (i) => ({
          parentCode: 'P',
          assetId: `${page * 10_000 + i}`,
          url: `https://cdn.example/${page}/${i}`,
        }))
        await attacker.send(graphql(addAssets, { store: attacker.store, assets }))
      }
    },
    run: async (attacker) => {
      const move = `mutation { moveAsset(storeUuid: "${attacker.store}", parentCode: "P", assetId: "5", position: 90000) { channel } }`
      await together(attacker, 20, graphql(move))
      await together(
        attacker,
        20,
        graphql(`{ store(storeUuid: "${attacker.store}") { assetGroups { groups { assets(first: 1) { url } } } } }`),
      )
    },
  },
]
