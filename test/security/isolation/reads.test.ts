import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { send } from '../../support/clients/http.ts'
import { restData } from '../../support/clients/rest-client.ts'
import { addAssets, type NewLink, newStore } from '../../support/factories.ts'
import { token, useGateway } from '../../support/servers/gateway.ts'

// No idle connection is closed: one that is missing was cut.
const gateway = useGateway({ connection: { idleTimeoutMillis: 0 } })

/** The field under so many names. */
const times = (copies: number, field: string) => Array.from({ length: copies }, (_, i) => `f${i}: ${field}`).join(' ')

// All of the gateway's own connections are older than those of other threads.
beforeAll(() => Promise.all(Array.from({ length: 50 }, () => sql`select pg_sleep(0.1)`.execute(gateway.database.db))))

let store: string
beforeEach(async () => {
  store = await newStore(gateway)
})

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

/** How many of the gateway's own connections send a statement. */
function busyConnections(): number {
  const { total, idle } = gateway.database.pool() ?? { total: 0, idle: 0 }
  return total - idle
}

/** Makes products with one attribute. */
async function fillProducts(products: number, value: string): Promise<void> {
  await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, 'P' || n, 'new', jsonb_build_object('Text', ${value}::text)
    from generate_series(1, ${products}::integer) n`.execute(gateway.database.db)
  await sql`insert into product_total values (${store}, 0, 'new', ${products})`.execute(gateway.database.db)
}

/** Its answer to a query of fields of the store. */
const ofStore = (fields: string) => gateway.post(`{ store(storeUuid: "${store}") { ${fields} } }`)

/** The lists of products: each answers with the products, or a connection of them, of a page of so many. */
const lists: [string, (limit: number) => Promise<{ text: string }>][] = [
  ['GET /v1/products', (limit) => gateway.call(`/v1/products?store_uuid=${store}&limit=${limit}`)],
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
      return gateway.call(`/graphql?query=${encodeURIComponent(query)}`)
    },
  ],
]

it.each(lists)(
  '%s: a page of more than 1 MiB is read in a thread of the pool, and a smaller one is not',
  async (_, page) => {
    await fillProducts(20, 'x'.repeat(300_000))
    const atFirst = await sessions()
    expect((await page(2)).text.length).toBeGreaterThan(600_000)
    const before = await sessions()
    expect(before.inThreads).toBe(atFirst.inThreads)
    const { text } = await page(20)
    expect(text.length).toBeGreaterThan(6_000_000)
    expect(text).not.toContain('"errors"')
    const after = await sessions()
    expect(after.inThreads).not.toBe(before.inThreads)
    // Compressed, the page is small: it was measured before it was sent, which would have cost the connection.
    expect(after.all).toEqual(expect.arrayContaining(before.own))
  },
)

it.each(lists)(
  '%s: of control characters, pages have six times the bytes that are stored, and cost no connection',
  async (_, page) => {
    await fillProducts(100, '\u0001'.repeat(100_000))
    for (const limit of [8, 20, 100]) {
      const before = await sessions()
      const { text } = await page(limit)
      if (limit < 100) expect(text.length).toBeGreaterThan(limit * 600_000)
      else expect(text).toMatch(/what a request reads.*smaller page/)
      expect((await sessions()).all).toEqual(expect.arrayContaining(before.all))
    }
  },
)

it.each([
  ['one attribute under many names', `products(first: 1) { nodes { ${times(20, 'attributes')} } }`],
  [
    'one product in many places',
    'products(first: 20) { nodes { store { products(first: 1) { nodes { attributes } } } } }',
  ],
])('an answer that repeats what was read is made in the pool: %s', async (_, fields) => {
  await fillProducts(20, 'x'.repeat(60_000))
  const before = await sessions()
  const { text } = await ofStore(fields)
  expect(text.length).toBeGreaterThan(1_200_000)
  expect((await sessions()).inThreads).not.toBe(before.inThreads)
})

it('a read that waits for a thread of the pool ends when its client leaves', async () => {
  await fillProducts(20, 'x'.repeat(300_000))
  const admin = await gateway.database.client()
  await admin.query('begin; lock table product in share mode')
  const products = `/v1/products?store_uuid=${store}`
  // A token may use one of the two threads.
  const long = Object.fromEntries(['One', 'Two', 'Three'].map((name) => [name, 'x'.repeat(50_000)]))
  const writing = gateway.call(products, { method: 'PUT', body: [{ product_code: 'P1', ...long }] })
  await expect.poll(gateway.database.lockWaiters).toBe(1)
  gateway.database.statements()
  const leaving = new AbortController()
  const reading = send(gateway.url + products, { token, signal: leaving.signal }).catch(() => 'left')
  await expect.poll(gateway.database.statements).toBeGreaterThan(0)
  // It has found here that it reads too much, and waits for the thread.
  await expect.poll(busyConnections).toBe(0)
  leaving.abort()
  expect(await reading).toBe('left')
  const left = /^catalogue_request_duration_seconds_count\{api="rest",operation="ListProducts",status="499"\} 1$/m
  await expect.poll(async () => (await gateway.call('/metrics')).text).toMatch(left)
  // The write still has the thread: otherwise the read would have got it.
  expect(await gateway.database.lockWaiters()).toBe(1)
  await admin.query('commit')
  await admin.end()
  expect((await writing).status).toBe(200)
})

it('series of more than 5,000 points are made in the pool', async () => {
  const to = Date.now()
  const times = `from: ${to - 1_999 * 60_000}, to: ${to}, interval: "1m", maxPoints: 2000`
  const points = async (fields: number) => {
    const series = Array.from({ length: fields }, (_, i) => {
      return `f${i}: series(storeUuids: ["${store}"], metric: CHANGES, ${times}) { value }`
    })
    const data = await gateway.data(`{ ${series.join(' ')} }`)
    return Object.values(data as Record<string, unknown[]>).flat().length
  }
  const atFirst = await sessions()
  expect(await points(2)).toBe(4_000)
  const before = await sessions()
  expect(before.inThreads).toBe(atFirst.inThreads)
  expect(await points(3)).toBe(6_000)
  expect((await sessions()).inThreads).not.toBe(before.inThreads)
})

/** The answer to a mutation that creates a product, and whose other field reads. */
const createAnd = (reading: string) =>
  gateway.post(`mutation {
    upsertProducts(storeUuid: "${store}", products: [{ productCode: "new" }]) { createdSkus }
    ${reading} }`)
const updateStore = (fields: string) => `updateStore(storeUuid: "${store}", input: { storeName: "new" }) { ${fields} }`

it.each<[string, number, () => string]>([
  ['a page of products', 300_000, () => updateStore('products(first: 20) { nodes { attributes } }')],
  [
    'one product under many names',
    60_000,
    () => updateStore(`products(first: 1) { nodes { ${times(20, 'attributes')} } }`),
  ],
  [
    'values that break a rule',
    300_000,
    () =>
      `defineAttributes(storeUuid: "${store}", definitions: [{ name: "Text", type: ENUM, allowedValues: ["a"] }]) { violations { productCount } }`,
  ],
])('a mutation whose payload reads more than 1 MiB is made in the pool, once: %s', async (_, length, reading) => {
  await fillProducts(20, 'x'.repeat(length))
  const before = await sessions()
  const { text } = await createAnd(reading())
  expect(text).toContain('"createdSkus":["new"]')
  expect(text).not.toContain('"errors"')
  const after = await sessions()
  expect(after.inThreads).not.toBe(before.inThreads)
  expect(after.all).toEqual(expect.arrayContaining(before.own))
})

it('a mutation whose commit is repeated may read no more than before it', async () => {
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
    const before = await sessions()
    const { text } = await createAnd(updateStore('products(first: 20) { nodes { attributes } }'))
    expect(text).toContain('"createdSkus":["new"]')
    expect(text.length).toBeGreaterThan(5_000_000)
    expect((await sessions()).inThreads).not.toBe(before.inThreads)
  } finally {
    await sql`drop function lengthen, fail_once cascade`.execute(gateway.database.db)
    await sql`drop sequence attempt`.execute(gateway.database.db)
  }
})

it('a mutation whose payload reads less is made by the thread that serves all requests', async () => {
  await fillProducts(20, 'x'.repeat(300_000))
  const before = await sessions()
  const { text } = await createAnd(updateStore('products(first: 2) { nodes { attributes } }'))
  expect(text).toContain('"createdSkus":["new"]')
  expect(text.length).toBeGreaterThan(600_000)
  expect((await sessions()).inThreads).toBe(before.inThreads)
})

const url = `https://cdn.example/${'u'.repeat(1_000)}`

/** Makes a group of so many assets, whose entries are over 1 KB each. */
async function fillGroup(assets: number): Promise<void> {
  const links = Array.from({ length: assets }, (_, i): NewLink => [`${i}`, 'P', { url: `${url}/${i}` }])
  await addAssets(gateway, store, links)
}

it.each([
  ['GET /v1/assets', () => gateway.call(`/v1/assets?store_uuid=${store}`)],
  ['GET /v1/products', () => gateway.call(`/v1/products?store_uuid=${store}`)],
  ['assetGroups', () => gateway.post(`{ assetGroups(storeUuid: "${store}") { groups { assets(first: 1) { url } } } }`)],
  ['assets of products', () => ofStore('products { nodes { assetGroups { assets(first: 1) { url } } } }')],
])('%s: assets of 6 MB are not sent to the thread that serves all, and its connection lasts', async (_, read) => {
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

it('what is not measured beforehand is read to its end, and the request is repeated in the pool', async () => {
  const definitions = Array.from({ length: 30 }, (_, i) => ({
    name: `N${i}`,
    type: 'ENUM',
    allowedValues: Array.from({ length: 300 }, (_, n) => `${n} ${'v'.repeat(240)}`),
  }))
  const query = `mutation ($store: ID!, $definitions: [AttributeDefinitionInput!]!) {
    defineAttributes(storeUuid: $store, definitions: $definitions) { name } }`
  await gateway.data(query, { store, definitions })
  const before = await sessions()
  const { text } = await ofStore('attributeDefinitions { allowedValues }')
  expect(text.length).toBeGreaterThan(2_000_000)
  expect((await sessions()).all).toEqual(expect.arrayContaining(before.own))
})

const revertRequest =
  'revertRequest(storeUuid: $store, requestId: $id) { more skipped { reason } reverted { products } }'
const reverting = (...fields: string[]) =>
  `mutation ($store: ID!, $id: String!) { ${fields.map((name) => `${name}: ${revertRequest}`).join(' ')} }`

it.each<[string, (id: string) => Promise<unknown>]>([
  ['revertRequest', async (id) => (await gateway.data(reverting('a'), { store, id })).a],
  ['POST /requests/{id}/revert', (id) => restData(gateway, `POST /requests/${id}/revert?store_uuid=${store}`)],
])('a revert of thousands of values is made by another thread, and of a thousand it is not: %s', async (_, revert) => {
  const put = async (products: number, names: number, id: string) => {
    const values = Object.fromEntries(Array.from({ length: names }, (_, i) => [`${i} ${'\u0001'.repeat(200)}`, id]))
    const body = Array.from({ length: products }, (_, i) => ({ product_code: `P${i + 1}`, ...values }))
    const headers = { 'x-request-id': id }
    expect((await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body, headers })).status).toBe(200)
  }
  await fillProducts(100, 'x')
  for (const id of ['small', 'later']) await put(100, 10, id)
  const before = await sessions()
  expect(await revert('small')).toHaveProperty('skipped.length', 1_000)
  expect((await sessions()).inThreads).toBe(before.inThreads)
  for (const id of ['large', 'latest']) await put(100, 11, id)
  const several = await gateway.graphql(reverting('a', 'b'), { store, id: 'large' })
  const refused = {
    message: expect.stringMatching(/a revertRequest that is sent with other fields may revert 1000 changes/),
    extensions: { code: 'payload_too_large' },
  }
  expect(several.errors).toMatchObject([refused])
  const prior = await sessions()
  expect(await revert('large')).toHaveProperty('skipped.length', 1_100)
  expect((await sessions()).inThreads).not.toBe(prior.inThreads)
})

it('an asset is placed in a group of thousands by another thread', async () => {
  await fillGroup(6_000)
  const before = await sessions()
  const assets = { 'Image URL 2': `${url}/new`, 'Image URL 5': `${url}/7` }
  const placed = await restData(gateway, `POST /assets?store_uuid=${store}`, [
    { parent_code: 'P', asset_type: 'image', assets },
  ])
  expect(placed).toMatchObject({ created: 1, updated: 1 })
  expect((await sessions()).inThreads).not.toBe(before.inThreads)
  const groups = [{ parentCode: 'P', assets: { 'Image URL 1': `${url}/8` } }]
  const run = async (fields: string[]) => {
    const place = fields.map((name) => `${name}: placeAssets(storeUuid: $store, groups: $groups) { updated }`)
    return gateway.graphql(`mutation ($store: ID!, $groups: [AssetPlacement!]!) { ${place.join(' ')} }`, {
      store,
      groups,
    })
  }
  // Fields are committed one by one, so that such a request is not begun anew.
  const refused = {
    message: expect.stringMatching(/a placeAssets that is sent with other fields may have 5000 assets/),
    extensions: { code: 'payload_too_large' },
  }
  expect((await run(['a', 'b'])).errors).toMatchObject([refused])
  expect(await run(['a'])).toMatchObject({ data: { a: { updated: 1 } } })
})
