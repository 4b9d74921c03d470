import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { encodeNodeId, keyInStore } from '../../../schema/builder/node-ids.ts'
import { send } from '../../support/clients/http.ts'
import { addAssets, type NewLink, newStore } from '../../support/factories.ts'
import { token as ofAllStores, useGateway } from '../../support/servers/gateway.ts'
import { newToken } from '../../support/tokens.ts'

// No idle connection is closed: one that is missing was cut.
const gateway = useGateway({ connection: { idleTimeoutMillis: 0 } })

/** The field under so many names. */
const times = (copies: number, field: string) => Array.from({ length: copies }, (_, i) => `f${i}: ${field}`).join(' ')

// All of the gateway's own connections are older than those of other threads.
beforeAll(() => Promise.all(Array.from({ length: 50 }, () => sql`select pg_sleep(0.1)`.execute(gateway.database.db))))

let store: string
/** A token of the store: each test has a tenant of its own. */
let token: string
beforeEach(async () => {
  ;({ store, token } = await newTenant())
})

async function newTenant() {
  const store = await newStore(gateway)
  const { secret } = await newToken(gateway, { scopes: ['READ', 'WRITE'], stores: [store] })
  return { store, token: secret }
}

const get = (path: string, by = token) => gateway.call(path, { token: by })
const post = (query: string, variables: Record<string, unknown> = {}) => gateway.post(query, { token, variables })

/** All sessions, those of the gateway's own pool, and when the threads of the pool have last sent a statement. */
async function sessions(): Promise<{ all: number[]; own: number[]; inThreads: string }> {
  const { rows } = await sql<{ pid: number; at: string }>`
    select pid, query_start::text as at from pg_stat_activity
    where datname = current_database() and application_name = 'catalogue-gateway'
    order by backend_start, pid`.execute(gateway.database.db)
  const own = gateway.database.pool()?.total ?? 0
  const pids = rows.map(({ pid }) => pid)
  const starts = rows.slice(own).map(({ at }) => at)
  return { all: pids, own: pids.slice(0, own), inThreads: starts.sort().at(-1) ?? '' }
}

/** Makes products with one attribute. */
async function fillProducts(products: number, value: string): Promise<void> {
  await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, 'P' || n, 'new', jsonb_build_object('Text', ${value}::text)
    from generate_series(1, ${products}::integer) n`.execute(gateway.database.db)
  await sql`insert into product_total values (${store}, 0, 'new', ${products})`.execute(gateway.database.db)
}

/** Its answer to a query of fields of the store. */
const ofStore = (fields: string) => post(`{ store(storeUuid: "${store}") { ${fields} } }`)

/** The lists of products: each answers with the products, or a connection of them, of a page of so many. */
const lists: [string, (limit: number) => Promise<{ text: string }>][] = [
  ['GET /v1/products', (limit) => get(`/v1/products?store_uuid=${store}&limit=${limit}`)],
  ['Store.products', (limit) => ofStore(`products(first: ${limit}) { nodes { attributes } }`)],
  [
    'Store.products in another order',
    (limit) =>
      ofStore(`products(first: ${limit}, orderBy: { field: UPDATED_AT, direction: DESC }) { nodes { attributes } }`),
  ],
  [
    'a query by GET',
    (limit) => {
      const query = `{ store(storeUuid: "${store}") { products(first: ${limit}) { nodes { attributes } } } }`
      return get(`/graphql?query=${encodeURIComponent(query)}`)
    },
  ],
]

it.each(lists)('%s: after a page of more than 1 MiB reads of its kind are made in the pool', async (_, page) => {
  await fillProducts(20, 'x'.repeat(300_000))
  const other = await newTenant()
  const readOfOther = () => get(`/v1/products?store_uuid=${other.store}`, other.token)
  const before = await sessions()
  expect((await page(2)).text.length).toBeGreaterThan(600_000)
  const large = await page(20)
  expect(large.text.length).toBeGreaterThan(6_000_000)
  expect(large.text).not.toContain('"errors"')
  await readOfOther()
  const after = await sessions()
  expect(after.inThreads).toBe(before.inThreads)
  expect(after.all).toEqual(expect.arrayContaining(before.own))
  expect(await page(15)).toMatchObject({ text: expect.not.stringContaining('"errors"') })
  const last = await sessions()
  expect(last.inThreads).not.toBe(after.inThreads)
  await readOfOther()
  expect((await sessions()).inThreads).toBe(last.inThreads)
})

it('a large page sends neither a lookup, a check nor what others ask to the pool', async () => {
  await fillProducts(20, 'x'.repeat(300_000))
  await fillGroup(6_000)
  const listing = `/v1/assets?store_uuid=${store}`
  const { headers } = await get(listing)
  for (const [, page] of lists) await page(20)
  const before = await sessions()
  expect((await gateway.call(listing, { token, headers: { 'if-none-match': String(headers.etag) } })).status).toBe(304)
  expect((await get('/v1/stores')).status).toBe(200)
  expect((await ofStore('product(productCode: "P1") { status }')).text).toContain('NEW')
  expect((await sessions()).inThreads).toBe(before.inThreads)
  expect((await get(listing)).status).toBe(200)
  expect((await sessions()).inThreads).not.toBe(before.inThreads)
})

it.each(lists)(
  '%s: of control characters, pages have six times the bytes that are stored, and cost no connection',
  async (_, page) => {
    await fillProducts(20, '\u0001'.repeat(100_000))
    for (const limit of [8, 20]) {
      const before = await sessions()
      const { text } = await page(limit)
      if (limit < 20) expect(text.length).toBeGreaterThan(limit * 600_000)
      else expect(text).toMatch(/a request may read 8388608 bytes.*smaller page/)
      expect((await sessions()).all).toEqual(expect.arrayContaining(before.own))
    }
  },
)

it.each([
  ['one attribute under many names', `products(first: 1) { nodes { ${times(20, 'attributes')} } }`],
  [
    'one product in many places',
    'products(first: 20) { nodes { store { products(first: 1) { nodes { attributes } } } } }',
  ],
])('an answer that repeats what was read may have 16 MiB: %s', async (_, fields) => {
  await fillProducts(200, 'x')
  const long = { Text: 'x'.repeat(1_000_000) }
  const update = sql`update product set attributes = ${JSON.stringify(long)} where store_uuid = ${store} and product_code = 'P1'`
  await update.execute(gateway.database.db)
  const reply = await ofStore(fields)
  expect(reply.text).toMatch(/an answer may have 16777216 bytes.*smaller page/)
  expect(reply.json.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_request' })
})

it('an answer that has one product many times may have 16 MiB', async () => {
  await fillProducts(1, 'x'.repeat(1_000_000))
  const ids = Array.from({ length: 20 }, () => encodeNodeId('Product', keyInStore(store, 'P1')))
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Product { attributes } } }'
  const reply = await post(query, { ids })
  expect(reply.text).toMatch(/an answer may have 16777216 bytes.*smaller page/)
})

it.each([
  ['GET /v1/products', () => get(`/v1/products?store_uuid=${store}&limit=1`)],
  [
    'GET /v1/products as CSV',
    () => gateway.call(`/v1/products?store_uuid=${store}&limit=1`, { token, headers: { accept: 'text/csv' } }),
  ],
  ['Store.product', () => ofStore('product(productCode: "P") { attributes }')],
  ['Store.products', () => ofStore('products(first: 1) { nodes { attributes } }')],
])('%s: a product with as many attributes as it may have can be read', async (_, read) => {
  const value = (i: number) => '\u0001'.repeat(i < 10 ? 60_000 : 9_000)
  const attributes = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`Text ${i}`, value(i)]))
  const url = `/v1/products?store_uuid=${store}`
  const put = (body: object) => gateway.call(url, { method: 'POST', token, body: [{ product_code: 'P', ...body }] })
  expect((await put({ ...attributes, more: value(0), most: value(0) })).text).toContain('4 MiB')
  expect((await put(attributes)).json).toMatchObject({ data: { created_skus: ['P'] } })
  const { status, text } = await read()
  expect([status, text.length > 600_000]).toEqual([200, true])
  expect(text).not.toContain('"errors"')
})

it('a read that waits for a thread of the pool ends when its client leaves', async () => {
  await fillProducts(20, 'x'.repeat(300_000))
  const products = `/v1/products?store_uuid=${store}`
  expect((await get(products)).status).toBe(200)
  await using admin = await gateway.database.client()
  await admin.query('begin; lock table product in share mode')
  // A tenant may use one of the two threads.
  const long = Object.fromEntries(['One', 'Two', 'Three'].map((name) => [name, 'x'.repeat(50_000)]))
  const writing = gateway.call(products, { method: 'PUT', token, body: [{ product_code: 'P1', ...long }] })
  await expect.poll(gateway.database.lockWaiters).toBe(1)
  const leaving = new AbortController()
  const reading = send(gateway.url + products, { token, signal: leaving.signal }).catch(() => 'left')
  const metrics = async () => (await gateway.call('/metrics')).text
  await expect.poll(metrics).toMatch(/^catalogue_pool_threads\{state="waiting"\} 1$/m)
  leaving.abort()
  expect(await reading).toBe('left')
  const left = /^catalogue_request_duration_seconds_count\{api="rest",operation="ListProducts",status="499"\} 1$/m
  await expect.poll(metrics).toMatch(left)
  // The write still has the thread: otherwise the read would have got it.
  expect(await gateway.database.lockWaiters()).toBe(1)
  await admin.query('commit')
  expect((await writing).status).toBe(200)
})

it('series of more than 5,000 values are made in the pool', async () => {
  const to = Date.now()
  const times = `from: ${to - 1_999 * 60_000}, to: ${to}, interval: "1m", maxPoints: 2000`
  const points = async (fields: number) => {
    const series = Array.from({ length: fields }, (_, i) => {
      return `f${i}: series(storeUuids: ["${store}"], metric: CHANGES, ${times}) { value }`
    })
    const { json } = await post(`{ ${series.join(' ')} }`)
    return Object.values(json.data as Record<string, unknown[]>).flat().length
  }
  const atFirst = await sessions()
  expect(await points(2)).toBe(4_000)
  const before = await sessions()
  expect(before.inThreads).toBe(atFirst.inThreads)
  expect(await points(3)).toBe(6_000)
  expect((await sessions()).inThreads).not.toBe(before.inThreads)
})

/** The answer to a mutation that creates a product, and whose other field reads. */
const createAnd = (reading: string, by = token) =>
  gateway.post(
    `mutation {
    upsertProducts(storeUuid: "${store}", products: [{ productCode: "new" }]) { createdSkus }
    ${reading} }`,
    { token: by },
  )
const updateStore = (fields: string) => `updateStore(storeUuid: "${store}", input: { storeName: "new" }) { ${fields} }`

it('a mutation whose payload reads more than 8 MiB changes nothing', async () => {
  await fillProducts(30, 'x'.repeat(300_000))
  const { text } = await createAnd(updateStore('products(first: 30) { nodes { attributes } }'))
  expect(text).toMatch(/a request may read.*smaller page/)
  expect((await ofStore('storeName product(productCode: "new") { productCode }')).json.data).toMatchObject({
    store: { storeName: expect.not.stringMatching('new'), product: null },
  })
})

it('values that break a rule are read in steps, however many bytes they have', async () => {
  await fillProducts(40, 'x'.repeat(300_000))
  const { text } = await createAnd(
    `defineAttributes(storeUuid: "${store}", definitions: [{ name: "Text", type: ENUM, allowedValues: ["a"] }]) { violations { productCount } }`,
  )
  expect(text).toContain('"violations":{"productCount":40}')
})

it('a mutation whose commit is repeated is answered with what its last attempt read', async () => {
  await fillProducts(20, 'x')
  // The first commit fails after a short payload. Later attempts, which the sequence counts, find long products.
  await sql`create sequence attempt`.execute(gateway.database.db)
  await sql`create function lengthen() returns trigger language plpgsql as $$ begin
    if nextval('attempt') > 1 then
      update product set attributes = jsonb_build_object('Text', repeat('x', 300000)) where store_uuid = new.store_uuid;
    end if;
    return null;
  end $$`.execute(gateway.database.db)
  await sql`create function fail_once() returns trigger language plpgsql as $$ begin
    if (select last_value from attempt) = 1 then raise exception 'once' using errcode = 'serialization_failure'; end if;
    return null;
  end $$`.execute(gateway.database.db)
  await sql`create trigger lengthen after update on store for each row execute function lengthen()`.execute(
    gateway.database.db,
  )
  await sql`create constraint trigger fail_once after update on store deferrable initially deferred
    for each row execute function fail_once()`.execute(gateway.database.db)
  try {
    // The triggers are not for the role of tenants.
    const { text } = await createAnd(updateStore('products(first: 20) { nodes { attributes } }'), ofAllStores)
    expect(text).toContain('"createdSkus":["new"]')
    expect(text.length).toBeGreaterThan(5_000_000)
  } finally {
    await sql`drop function lengthen, fail_once cascade`.execute(gateway.database.db)
    await sql`drop sequence attempt`.execute(gateway.database.db)
  }
})

const url = `https://cdn.example/${'u'.repeat(1_000)}`

/** Makes a group of so many assets, whose entries are over 1 KB each. */
async function fillGroup(assets: number): Promise<void> {
  const links = Array.from({ length: assets }, (_, i): NewLink => [`${i}`, 'P', { url: `${url}/${i}` }])
  await addAssets(gateway, store, links)
}

it.each([
  ['GET /v1/assets', () => get(`/v1/assets?store_uuid=${store}`)],
  ['GET /v1/products', () => get(`/v1/products?store_uuid=${store}`)],
  ['assetGroups', () => post(`{ assetGroups(storeUuid: "${store}") { groups { assets(first: 1) { url } } } }`)],
  ['assets of products', () => ofStore('products { nodes { assetGroups { assets(first: 1) { url } } } }')],
])('%s: assets of 6 MB are read, and the connection lasts', async (_, read) => {
  await sql`insert into product (store_uuid, product_code, status, attributes) values (${store}, 'P', 'new', '{}')`.execute(
    gateway.database.db,
  )
  await fillGroup(6_000)
  const before = await sessions()
  const { status, text } = await read()
  expect([status, text]).toEqual([200, expect.stringContaining('https://cdn.example/uuu')])
  expect(text).not.toContain('"errors"')
  expect((await sessions()).all).toEqual(expect.arrayContaining(before.own))
})

const revertRequest =
  'revertRequest(storeUuid: $store, requestId: $id) { more skipped { reason } reverted { products } }'
const reverting = (...fields: string[]) =>
  `mutation ($store: ID!, $id: String!) { ${fields.map((name) => `${name}: ${revertRequest}`).join(' ')} }`

it.each<[string, (id: string) => Promise<string>]>([
  ['revertRequest', async (id) => (await post(reverting('a'), { store, id })).text],
  [
    'POST /requests/{id}/revert',
    async (id) => (await gateway.call(`/v1/requests/${id}/revert?store_uuid=${store}`, { method: 'POST', token })).text,
  ],
])('a revert is made by another thread, as its answer may have thousands of items: %s', async (_, revert) => {
  await fillProducts(1, 'x')
  const headers = { 'x-request-id': 'reverted' }
  const body = [{ product_code: 'P1', Text: 'y' }]
  await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', token, body, headers })
  const before = await sessions()
  expect(await revert('reverted')).toContain('"products":1')
  expect((await sessions()).inThreads).not.toBe(before.inThreads)
})

it.each(['text/csv', 'application/jsonl'])('a table is made by another thread: %s', async (accept) => {
  await fillProducts(1, 'x')
  const before = await sessions()
  const { status } = await gateway.call(`/v1/products?store_uuid=${store}`, { token, headers: { accept } })
  expect(status).toBe(200)
  expect((await sessions()).inThreads).not.toBe(before.inThreads)
})

it('assets are placed in groups of at most 10,000', async () => {
  const place = async (parentCode: string) => {
    const assets = { 'Image URL 2': `${url}/new`, 'Image URL 5': `${url}/7` }
    const body = [{ parent_code: parentCode, asset_type: 'image', assets }]
    return gateway.call(`/v1/assets?store_uuid=${store}`, { method: 'POST', token, body })
  }
  await fillGroup(6_000)
  expect((await place('P')).json).toMatchObject({ data: { created: 1, updated: 1 } })
  const links = sql`insert into asset_link (store_uuid, parent_code, channel, asset_id, place)
    select store_uuid, 'Q', channel, asset_id, place from asset_link where store_uuid = ${store}
    union all select ${store}::uuid, 'Q', 'SMP', 'missing ' || n, 6000 + n from generate_series(1, 4001) n`
  await links.execute(gateway.database.db)
  const refused = await place('Q')
  expect([refused.status, refused.text]).toEqual([413, expect.stringMatching(/may have 10000 assets together/)])
})

it('pages that together are more than 8 MiB are refused', async () => {
  await fillProducts(20, 'x'.repeat(300_000))
  const pages = Array.from({ length: 12 }, (_, i) => `f${i}: products(first: ${i + 9}) { nodes { attributes } }`)
  expect((await ofStore(pages.join(' '))).text).toMatch(/a request may read.*smaller page/)
  expect((await ofStore('storeName')).text).not.toContain('"errors"')
})
