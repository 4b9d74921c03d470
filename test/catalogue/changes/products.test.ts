import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { withRequestId } from '../../support/clients/caller.ts'
import { ask } from '../../support/clients/operations.ts'
import { callRest, restData } from '../../support/clients/rest-client.ts'
import { changesOf, settled } from '../../support/database/changes.ts'
import { newStore } from '../../support/factories.ts'
import { needsPrimary } from '../../support/needs-primary.ts'
import { startTestGateway, useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()
let store: string
beforeEach(async () => {
  store = await newStore(gateway)
  await upsert([
    { productCode: 'A', attributes: { Color: 'red', Size: 'M' } },
    { productCode: 'B', status: 'active' },
  ])
})

it('PUT of products records what really changes, with the values from before, once', async () => {
  const body = [
    { product_code: 'A', Color: 'blue', Size: 'M', Weight: '1 kg', status: 'draft' },
    { product_code: 'B', status: 'active' },
    { product_code: 'unknown', Color: 'blue' },
    { product_code: 'B ', Color: 7 },
  ]
  const headers = { 'X-Request-Id': 'request-1' }
  expect((await put(body, headers)).status).toBe(200)
  const items = [
    { code: 'A', key: 'Color', was: 'red' },
    { code: 'A', key: 'Weight', was: null },
    { code: 'A', key: 'status', was: 'new' },
  ]
  const row = { kind: 'product', action: 'updated', requestId: 'request-1', via: 'rest', operation: 'updateProducts' }
  const changes = await changesFrom('request-1')
  expect(changes).toEqual(expect.arrayContaining(items.map((item) => expect.objectContaining({ ...row, ...item }))))
  expect(changes).toHaveLength(items.length)
  await put(body, { 'X-Request-Id': 'request-2' })
  expect(await changesFrom('request-2')).toEqual([])
})

it('PUT of products with many attributes, some of them bad, records the good ones and how many products failed', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `attribute ${i}`)
  const body = [
    { product_code: 'A', ...Object.fromEntries(names.map((name) => [name, 'x'])) },
    { product_code: 'B', Color: 7, Size: 'L' },
    { product_code: 'unknown', Color: 7 },
  ]
  await put(body, { 'X-Request-Id': 'request-4' })
  const changes = await changesFrom('request-4')
  expect(changes.map(({ code, key, was }) => [code, key, was]).sort()).toEqual(
    names.map((name) => ['A', name, null]).sort(),
  )
  expect(changes[0]?.failed).toBe(1)
})

it('upsertProducts records creations and updates apart, deleteProducts whole products', async () => {
  await upsert([
    { productCode: 'A', attributes: { Color: 'blue' } },
    { productCode: 'C', attributes: { Color: 'green' } },
    { productCode: 'D', attributes: { Color: 7 } },
  ])
  const rest = { via: 'graphql', operation: 'upsertProducts', kind: 'product' }
  expect((await changesOf(gateway.database, store)).slice(-2)).toMatchObject([
    { ...rest, action: 'created', code: 'C', key: null, was: null, failed: 1 },
    { ...rest, action: 'updated', code: 'A', key: 'Color', was: 'red', failed: 0 },
  ])
  await ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: ['A', 'E'] })
  const [deleted, ...more] = (await changesOf(gateway.database, store)).filter(({ action }) => action === 'deleted')
  expect(more).toEqual([])
  expect(deleted).toMatchObject({ kind: 'product', code: 'A', key: null, operation: 'deleteProducts' })
  expect(JSON.parse(deleted?.was ?? '')).toEqual({
    status: 'new',
    attributes: { Color: 'blue', Size: 'M' },
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
})

it('POST of products records the new ones', async () => {
  const body = [
    { product_code: 'A', Color: 'blue' },
    { product_code: 'E', Color: 'blue' },
  ]
  await restData(withRequestId(gateway, 'request-3'), `POST /products?store_uuid=${store}`, body)
  expect(await changesFrom('request-3')).toMatchObject([
    { kind: 'product', action: 'created', code: 'E', via: 'rest', operation: 'createProducts' },
  ])
})

it('dry runs, failures and repetitions with an Idempotency-Key leave nothing', async () => {
  const body = [{ product_code: 'A', Color: 'black' }]
  const before = await changesOf(gateway.database, store)
  await restData(gateway, `PUT /products?store_uuid=${store}&dry_run=true`, body)
  await gateway.data(
    `mutation ($store: ID!) {
      upsertProducts(storeUuid: $store, products: [{ productCode: "Z" }]) { storeUuid }
      updateProducts(storeUuid: $store, products: [{ productCode: "A", status: "draft" }], dryRun: true) { storeUuid } }`,
    { store },
  )
  expect((await changesOf(gateway.database, store)).slice(before.length)).toMatchObject([{ code: 'Z' }])
  await put(body, { 'Idempotency-Key': 'once', 'X-Request-Id': 'first' })
  await put(body, { 'Idempotency-Key': 'once', 'X-Request-Id': 'second' })
  expect(await changesFrom('first')).toHaveLength(1)
  expect(await changesFrom('second')).toEqual([])
})

it('large values are cut into rows of a few megabytes', async () => {
  const codes = Array.from({ length: 100 }, (_, i) => `large-${i}`)
  const products = (text: string) => codes.map((productCode) => ({ productCode, attributes: { Text: text } }))
  await upsert(products('x'.repeat(60_000)))
  expect(await upsert(products('y'))).toMatchObject({ failedProducts: [] })
  const { rows } = await sql<{ items: number; bytes: number }>`
    select cardinality(codes) as items, pg_column_size(was) as bytes from change
    where store_uuid = ${store} and action = 'updated' order by seq`.execute(gateway.database.db)
  expect(rows.reduce((sum, { items }) => sum + items, 0)).toBe(codes.length)
  expect(rows.length).toBeGreaterThan(2)
  for (const { bytes } of rows) expect(bytes).toBeLessThan(2_500_000)
})

it('many large values are one change where those that they replace are small', async () => {
  const products = (text: string) => codes.map((productCode) => ({ productCode, attributes: { Text: text } }))
  const codes = Array.from({ length: 100 }, (_, i) => `grown-${i}`)
  await upsert(products('y'))
  await upsert(products('x'.repeat(60_000)))
  const { rows } = await sql`
    select from change where store_uuid = ${store} and action = 'updated' and codes && ${codes}::text[]`.execute(
    gateway.database.db,
  )
  expect(rows).toHaveLength(1)
})

it.for(['PUT', 'upsertProducts'])(
  'long codes of products with many attributes are cut too: %s',
  async (operation, test) => {
    needsPrimary(test, 'a replica shows changes once it has the end of older transactions')
    const productCode = '\u{1f600}'.repeat(255)
    const attributes = Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`attribute ${i}`, 'x']))
    await upsert([{ productCode }])
    if (operation === 'PUT') expect((await put([{ product_code: productCode, ...attributes }])).status).toBe(200)
    else await upsert([{ productCode, attributes }])
    const { rows } = await sql<{ items: number; bytes: number }>`
    select cardinality(codes) as items, pg_column_size(codes) as bytes from change
    where store_uuid = ${store} and action = 'updated'`.execute(gateway.database.db)
    expect(rows.reduce((sum, { items }) => sum + items, 0)).toBe(6_000)
    for (const { bytes } of rows) expect(bytes).toBeLessThan(3_500_000)
    await settled(gateway.database)
    type Page = { next: string; pageInfo: { hasNextPage: boolean }; edges: { node: { codes: string[] } }[] }
    const pages: Page[] = []
    do {
      const after = JSON.stringify(pages.at(-1)?.next ?? null)
      const selection = `{ changes(first: 1, after: ${after}) { next pageInfo { hasNextPage } edges { node { action codes } } } }`
      pages.push((await ask<{ changes: Page }>(gateway, 'store', { storeUuid: store }, selection)).changes)
    } while (pages.at(-1)?.pageInfo.hasNextPage)
    expect(pages.filter(({ edges }) => edges[0]?.node.codes[0] === productCode)).toHaveLength(rows.length + 1)
  },
)

it('nothing is recorded with CHANGES_RETENTION=0', async () => {
  await using off = await startTestGateway({ database: gateway.database, more: { changesRetention: 0 } })
  const before = await changesOf(gateway.database, store)
  await restData(off, `PUT /products?store_uuid=${store}`, [{ product_code: 'A', Color: 'purple' }])
  expect(await changesOf(gateway.database, store)).toEqual(before)
})

function put(body: unknown, headers: Record<string, string> = {}) {
  return callRest(gateway, `PUT /products?store_uuid=${store}`, body, { headers })
}

async function changesFrom(requestId: string) {
  return (await changesOf(gateway.database, store)).filter((item) => item.requestId === requestId)
}

function upsert(products: unknown[]) {
  return ask(gateway, 'upsertProducts', { storeUuid: store, products })
}
