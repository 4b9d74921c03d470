import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { newStore } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'

// No idle connection is closed: one that is missing was cut.
const gateway = useGateway({ connection: { idleTimeoutMillis: 0 } })

let store: string
beforeEach(async () => {
  store = await newStore(gateway)
})

/** All sessions, those of the gateway's own pool, and how many those of other threads are. */
async function sessions(): Promise<{ all: unknown[]; own: unknown[]; ofThreads: number }> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and application_name = 'catalogue-gateway'
    order by backend_start, pid`.execute(gateway.database.db)
  const own = gateway.database.pool()?.total ?? 0
  return { all: rows, own: rows.slice(0, own), ofThreads: rows.length - own }
}

it('a page of more than 1 MiB is read in a thread of the pool, and a smaller one is not', async () => {
  await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, 'P' || n, 'new', jsonb_build_object('Text', repeat('x', 500000))
    from generate_series(1, 20) n`.execute(gateway.database.db)
  await sql`insert into product_total values (${store}, 0, 'new', 20)`.execute(gateway.database.db)
  const page = (limit: number) => gateway.call(`/v1/products?store_uuid=${store}&limit=${limit}`)
  expect((await page(2)).json).toMatchObject({ data: { returned_products: 2 } })
  // The gateway's own connections may be more than the sessions that the server has begun.
  const before = await sessions()
  expect(before.ofThreads).toBeLessThanOrEqual(0)
  const large = await page(20)
  expect(large.json).toMatchObject({ status: { code: 0 }, data: { returned_products: 20, total_products: 20 } })
  expect(large.text.length).toBeGreaterThan(10_000_000)
  const after = await sessions()
  expect(after.ofThreads).toBeGreaterThan(0)
  // Compressed, the page is small: it was measured before it was sent, which would have cost the connection.
  expect(after.all).toEqual(expect.arrayContaining(before.own))
})

const url = `https://cdn.example/${'u'.repeat(1_000)}`

/** Makes a group of so many assets, whose entries are over 1 KB each. */
async function fillGroup(assets: number): Promise<void> {
  const query = `mutation ($store: ID!, $assets: [NewAsset!]!) { addAssets(storeUuid: $store, assets: $assets) { added } }`
  const items = Array.from({ length: assets }, (_, i) => ({ parentCode: 'P', assetId: `${i}`, url: `${url}/${i}` }))
  expect(await gateway.data(query, { store, assets: items })).toMatchObject({ addAssets: { added: assets } })
}

it.each([
  ['/v1/assets', 'a listing', 200],
  ['/v1/products', 'products with their assets', 200],
  ['/graphql', 'a query', 400],
])('%s: %s of 6 MB is not sent to the thread that serves all, and its connection lasts', async (path, _, status) => {
  await sql`insert into product (store_uuid, product_code, status, attributes) values (${store}, 'P', 'new', '{}')`.execute(
    gateway.database.db,
  )
  await fillGroup(6_000)
  const before = await sessions()
  const query = `{ assetGroups(storeUuid: "${store}") { groups { assets(first: 1) { url } } } }`
  const isGraphQL = path === '/graphql'
  const reply = await gateway.call(
    isGraphQL ? path : `${path}?store_uuid=${store}`,
    isGraphQL ? { method: 'POST', body: { query } } : {},
  )
  expect(reply.text).toMatch(status === 200 ? /^\{"status":\{"code":0/ : /what a request reads.*smaller page/)
  expect((await sessions()).all).toEqual(expect.arrayContaining(before.own))
})

it('an asset is placed in a group of thousands by another thread', async () => {
  await fillGroup(6_000)
  const { json } = await gateway.call(`/v1/assets?store_uuid=${store}`, {
    method: 'POST',
    body: [
      { parent_code: 'P', asset_type: 'image', assets: { 'Image URL 2': `${url}/new`, 'Image URL 5': `${url}/7` } },
    ],
  })
  expect(json).toMatchObject({ status: { code: 0 }, data: { created: 1, updated: 1 } })
  expect((await sessions()).ofThreads).toBeGreaterThan(0)
  const groups = [{ parentCode: 'P', assets: { 'Image URL 1': `${url}/8` } }]
  const run = async (fields: string[]) => {
    const place = fields.map((name) => `${name}: placeAssets(storeUuid: $store, groups: $groups) { updated }`)
    return gateway.graphql(`mutation ($store: ID!, $groups: [AssetPlacement!]!) { ${place.join(' ')} }`, {
      store,
      groups,
    })
  }
  // Fields are committed one by one, so that such a request is not begun anew.
  const refused = { message: expect.stringContaining('5000 assets'), extensions: { code: 'payload_too_large' } }
  expect((await run(['a', 'b'])).errors).toMatchObject([refused])
  expect(await run(['a'])).toMatchObject({ data: { a: { updated: 1 } } })
})
