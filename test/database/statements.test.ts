import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import type { Item } from '../support/clients/client.ts'
import { ask, documentOf } from '../support/clients/operations.ts'
import { callRest, restData } from '../support/clients/rest-client.ts'
import { newStore as newStoreOf } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

/** REST runs the operations of GraphQL: one of both is counted, without `begin` and `commit`, which each write has. */
const gateway = useGateway({
  // Statements of another thread cannot be counted here.
  more: { mainThreadLimits: { bytes: 2 ** 40, members: 2 ** 40, cost: 2 ** 40, isForLong: true, readBytes: 2 ** 40 } },
})
let store: string
beforeEach(async () => {
  store = await newStore()
})

const few = 1
const many = 1_000

interface Operation {
  title: string
  statements: number
  /** Prepares the operation for `n` items; its statements do not count. */
  given?(n: number): Promise<unknown>
  run(n: number): Promise<void>
}

const code = (i: number) => `sku-${i}`
const assetId = (i: number) => `asset-${i}`
const upTo = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))

const operations: Operation[] = [
  {
    title: 'PUT /products to a store that is not known yet',
    statements: 2,
    given: (n) =>
      sql`insert into product (store_uuid, product_code, status, attributes)
        select ${store}::uuid, code, 'new', '{}' from unnest(${upTo(n, code)}::text[]) code`.execute(
        gateway.database.db,
      ),
    run: put,
  },
  { title: 'PUT /products', statements: 1, given: upsertAndMakeKnown, run: put },
  {
    title: 'upsertProducts to a store that is not known yet',
    statements: 2,
    run: async (n) => expect(await upsert(n)).toEqual({ createdSkus: upTo(n, code) }),
  },
  {
    title: 'POST /products with assets',
    statements: 5,
    run: async (n) => {
      const body = upTo(n, (i) => ({ product_code: code(i), 'Image URL 1': url(i), 'PDF URL 1': url(i) }))
      expect(await rest(`POST /products?store_uuid=${store}`, body)).toMatchObject({ created_skus: upTo(n, code) })
    },
  },
  {
    title: 'GET /products, a page with assets',
    statements: 2,
    given: (n) => Promise.all([upsert(n), add(n)]),
    run: async (n) =>
      expect(await rest(`GET /products?store_uuid=${store}`)).toMatchObject({
        total_products: n,
        returned_products: Math.min(n, 100),
      }),
  },
  {
    title: 'POST /assets',
    statements: 3,
    run: async (n) => {
      const body = upTo(n, (i) => ({ parent_code: code(i), asset_type: 'image', assets: { 'Image URL 1': url(i) } }))
      expect(await rest(`POST /assets?store_uuid=${store}`, body)).toMatchObject({ created: n, failed: 0 })
    },
  },
  {
    title: 'addAssets',
    statements: 3,
    run: async (n) => expect(await add(n)).toEqual({ added: n, linked: n, failed: 0 }),
  },
  {
    title: 'GET /assets, a page of 50 groups',
    statements: 1,
    given: add,
    run: async (n) =>
      expect(await rest(`GET /assets?store_uuid=${store}`)).toMatchObject({
        total_groups: n,
        returned_groups: Math.min(n, 50),
      }),
  },
  {
    title: 'assetGroups, a page of 50 groups with their products',
    statements: 2,
    given: (n) => Promise.all([upsert(n), add(n)]),
    run: async (n) => {
      const groups = '{ assets { assetId url position urlField } product { productCode attributes } }'
      const page = await run('assetGroups', {}, `{ totalGroups groups ${groups} }`)
      expect(page.totalGroups).toBe(n)
      expect(page.groups).toHaveLength(Math.min(n, 50))
      expect(page.groups).toContainEqual(expect.objectContaining({ product: expect.anything() }))
    },
  },
  selection('asset ids, one item', (n) => [{ asset_id: upTo(n, assetId) }]),
  selection('asset ids, an item each', (n) => upTo(n, (i) => ({ asset_id: assetId(i) }))),
  selection('asset ids on a channel', (n) => upTo(n, (i) => ({ asset_id: [assetId(i)], channel: 'SMP' }))),
  selection('parent codes', (n) => upTo(n, (i) => ({ parent_code: code(i) }))),
  selection('parent codes on a channel', (n) => upTo(n, (i) => ({ parent_code: code(i), channel: 'SMP' }))),
  selection('the channel', () => [{ channel: 'SMP' }]),
  {
    title: 'POST /assets/unlink',
    statements: 2,
    given: add,
    run: async (n) => {
      const body = upTo(n, (i) => ({ ...link(i), asset_id: assetId(i) }))
      expect(await rest('POST /assets/unlink', body)).toMatchObject({ unlinked: n, failed: 0 })
    },
  },
  {
    title: 'POST /assets/unlink of whole groups',
    statements: 2,
    given: add,
    run: async (n) =>
      expect(await rest('POST /assets/unlink', upTo(n, link))).toMatchObject({ unlinked: n, failed: 0 }),
  },
  {
    title: 'a revert of PUT /products',
    statements: 8,
    given: async (n) => {
      await upsertAndMakeKnown(n)
      const body = upTo(n, (i) => ({ product_code: code(i), Color: 'red' }))
      await callRest(gateway, `PUT /products?store_uuid=${store}`, body, toRevert)
    },
    run: async (n) => expect(await revert()).toMatchObject({ reverted: { products: n, links: 0 }, skipped: [] }),
  },
  {
    title: 'a revert of DELETE /assets',
    statements: 6,
    given: async (n) => {
      await add(n)
      const body = [{ store_uuid: store, asset_id: upTo(n, assetId) }]
      await callRest(gateway, 'DELETE /assets', body, toRevert)
    },
    run: async (n) => expect(await revert()).toMatchObject({ reverted: { assets: n, links: n }, skipped: [] }),
  },
  {
    title: 'a revert of defineAttributes',
    statements: 7,
    given: async (n) => {
      const variables = { storeUuid: store, definitions: definitions(n) }
      await gateway.post(documentOf('defineAttributes', variables, '{ name }'), { ...toRevert, variables })
    },
    run: async (n) => expect(await revert()).toMatchObject({ reverted: { definitions: n }, skipped: [] }),
  },
  { title: 'defineAttributes', statements: 8, run: async (n) => expect(await define(n)).toHaveLength(n) },
  {
    title: 'setChannelRequirements',
    statements: 5,
    run: async (n) => expect(await requireAttributes(Math.min(n, 62))).toHaveLength(Math.min(n, 62)),
  },
  {
    title: 'the number of products alone, with no page of them',
    // The store itself, and its totals.
    statements: 2,
    given: upsert,
    run: async (n) => {
      const selection = '{ products(first: 0) { totalCount edges { cursor } nodes { productCode } } }'
      expect(await run('store', {}, selection)).toEqual({ products: { totalCount: n, edges: [], nodes: [] } })
    },
  },
  {
    title: 'the number of products, and whether there is a page of them',
    statements: 3,
    given: upsert,
    run: async (n) => {
      const selection = '{ products(first: 0) { totalCount pageInfo { hasNextPage endCursor } } }'
      const pageInfo = { hasNextPage: true, endCursor: null }
      expect(await run('store', {}, selection)).toEqual({ products: { totalCount: n, pageInfo } })
    },
  },
  {
    title: 'the readiness of a page of products',
    statements: 3,
    given: (n) => Promise.all([upsert(n), requireAttributes(Math.min(n, 62))]),
    run: async (n) => {
      const readiness = 'readiness { channel ready missing { code reason } }'
      const selection = `{ products(first: 100) { nodes { productCode ${readiness} } } }`
      const nodes = Array.from({ length: Math.min(n, 100) }, () => ({ readiness: [{ ready: false }] }))
      expect(await run('store', {}, selection)).toMatchObject({ products: { nodes } })
    },
  },
  {
    title: 'the readiness of a store',
    statements: 2,
    given: (n) => Promise.all([upsert(n), requireAttributes(Math.min(n, 62))]),
    run: async (n) => {
      const selection = '{ readiness(channel: "SMP") { total ready percent asOf requirements { code missing } } }'
      const requirements = upTo(Math.min(n, 62), (i) => ({ code: `c${i}` }))
      expect(await run('store', {}, selection)).toMatchObject({ readiness: { requirements } })
    },
  },
  {
    title: 'POST /stores that copies definitions',
    statements: 5,
    given: define,
    run: async () => expect(await newStore(`?copy_taxonomy=true&linked_store_id=${store}`)).not.toBe(store),
  },
]

/** Deletes all the assets there are. */
function selection(by: string, selectors: (n: number) => Record<string, unknown>[]): Operation {
  return {
    title: `DELETE /assets by ${by}`,
    statements: 2,
    given: add,
    run: async (n) => {
      const body = selectors(n).map((selector) => ({ store_uuid: store, ...selector }))
      expect(await rest('DELETE /assets', body)).toMatchObject({ deleted_count: n, failed: 0 })
    },
  }
}

for (const { title, statements, given, run } of operations) {
  for (const n of [few, many]) {
    it(`${title} sends ${statements} statement${statements === 1 ? '' : 's'} for ${n} item${n === 1 ? '' : 's'}`, async () => {
      await given?.(n)
      gateway.database.statements()
      await run(n)
      expect(gateway.database.statements()).toBe(statements)
    })
  }
}

const tree = `{ totalCount edges { node {
  storeName
  linkedStores { storeUuid linkedStores { storeName } }
  productCounts { status count }
  attributeDefinitions { name }
  product(productCode: "sku-0") { status }
  assetGroups { totalGroups groups { parentCode product { productCode } } }
  products(first: 100) { totalCount edges { node {
    productCode assetGroups { assets { url } product { status assetGroups(channel: "SMP") { parentCode } } }
  } } }
} } }`

interface Stores {
  totalCount: number
  edges: { node: { products: { edges: { node: { assetGroups: unknown[] } }[] } } }[]
}

for (const [n, perStore] of [
  [2, 1],
  [20, 50],
] as const) {
  it(`a tree of ${n} stores with ${perStore} product${perStore === 1 ? '' : 's'} each is read in one statement for each field and store`, async () => {
    await sql`delete from attribute_definition`.execute(gateway.database.db)
    await sql`delete from store`.execute(gateway.database.db)
    store = await newStore()
    const others = await Promise.all(upTo(n - 1, () => newStore(`?linked_store_id=${store}`)))
    for (const each of [store, ...others]) {
      store = each
      await Promise.all([upsert(perStore), add(perStore), define(3)])
    }
    gateway.database.statements()
    const stores = await ask<Stores>(gateway, 'stores', { first: 100 }, tree)
    // The stores, their number, and linkedStores twice; ten for each store, with products' assetGroups twice.
    expect(gateway.database.statements()).toBe(4 + 10 * n)
    expect(stores.totalCount).toBe(n)
    expect(stores.edges.flatMap(({ node }) => node.products.edges)).toHaveLength(n * perStore)
    expect(stores.edges.at(-1)?.node.products.edges.at(-1)?.node.assetGroups).toHaveLength(1)
  })
}

it('a hundred stores by UUID are read in one statement, and their products in one each', async () => {
  const stores = await Promise.all(upTo(100, () => newStore()))
  await upsert(1)
  gateway.database.statements()
  const fields = stores.map(
    (uuid, i) => `s${i}: store(storeUuid: "${uuid}") { storeName product(productCode: "sku-${i}") { status } }`,
  )
  expect(Object.keys(await gateway.data(`{ ${fields.join('\n')} }`))).toHaveLength(100)
  expect(gateway.database.statements()).toBe(1 + 100)
})

it('assets of several stores are deleted with two statements for each, after one that finds the stores', async () => {
  const stores = await Promise.all(upTo(3, () => newStore()))
  for (const each of stores) {
    store = each
    await add(2)
  }
  gateway.database.statements()
  const body = [...stores, stores[0]].map((store_uuid, i) => ({ store_uuid, asset_id: [assetId(i >> 1), 'unknown'] }))
  expect(await rest('DELETE /assets', body)).toMatchObject({ deleted_count: 4, failed: 3 })
  expect(gateway.database.statements()).toBe(1 + 2 * 3)
})

it('a request deletes assets in at most 1,000 stores', async () => {
  const { rows } = await sql<{ store_uuid: string }>`
    insert into store (store_uuid, store_group, store_name, store_taxonomy, region, channels, default_automation)
    select gen_random_uuid(), gen_random_uuid(), 'Shop', 'catalog', '{}', '{}', '{}' from generate_series(1, 1001)
    returning store_uuid`.execute(gateway.database.db)
  const body = rows.map(({ store_uuid }) => ({ store_uuid, asset_id: 'unknown' }))
  const details = expect.stringContaining('at most 1000 stores; got 1001')
  expect(await callRest(gateway, 'DELETE /assets', body)).toMatchObject({ status: 413, entries: [{ details }] })
  expect(await rest('DELETE /assets', body.slice(1))).toMatchObject({ deleted_count: 0, failed: 1_000 })
})

const newStore = (query = '') => newStoreOf(gateway, {}, query)

async function put(n: number): Promise<void> {
  const body = upTo(n, (i) => ({ product_code: code(i), Color: 'red' }))
  expect(await rest(`PUT /products?store_uuid=${store}`, body)).toMatchObject({ updated_skus: upTo(n, code) })
}

async function upsertAndMakeKnown(n: number): Promise<void> {
  await upsert(n)
  await put(0)
}

function upsert(n: number): Promise<unknown> {
  const products = upTo(n, (i) => ({ productCode: code(i), attributes: { Size: `${i}` } }))
  return run('upsertProducts', { products }, '{ createdSkus }')
}

/** An asset each in `n` groups. */
function add(n: number): Promise<unknown> {
  const assets = upTo(n, (i) => ({ assetId: assetId(i), parentCode: code(i), url: url(i) }))
  return run('addAssets', { assets }, '{ added linked failed }')
}

function definitions(n: number) {
  return upTo(n, (i) => ({ name: `attribute ${i}`, type: 'TEXT' }))
}

function define(n: number): Promise<unknown> {
  return run('defineAttributes', { definitions: definitions(n) }, '{ name }')
}

function requireAttributes(n: number): Promise<unknown> {
  const requirements = upTo(n, (i) => ({ code: `c${i}`, kind: 'ATTRIBUTE', attribute: `Lacking ${i}` }))
  return run('setChannelRequirements', { channel: 'SMP', requirements }, '{ code }')
}

const toRevert = { headers: { 'X-Request-Id': 'to-revert' } }

function revert(): Promise<unknown> {
  return rest(`POST /requests/to-revert/revert?store_uuid=${store}`)
}

function url(i: number): string {
  return `https://assets.example/${i}.jpg`
}

function link(i: number) {
  return { store_uuid: store, parent_code: code(i), channel: 'SMP' }
}

/** Runs a field of the store. */
function run(field: string, args: Item, selection: string): Promise<Item> {
  return ask(gateway, field, { storeUuid: store, ...args }, selection)
}

function rest(operation: string, body?: unknown): Promise<Item> {
  return restData(gateway, operation, body)
}
