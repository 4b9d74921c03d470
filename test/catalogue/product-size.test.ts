import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import type { Item } from '../support/clients/client.ts'
import { ask } from '../support/clients/operations.ts'
import { restData } from '../support/clients/rest-client.ts'
import { productOf, storeWithProducts } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
let store: string

/** `FULL` has 3.75 MiB of 4. */
beforeEach(async () => {
  store = await storeWithProducts(gateway, ['FULL', 'SMALL'])
  await sql`update product set attributes = (
      select jsonb_object_agg('Text ' || n, repeat('x', 60 * 1024)) from generate_series(1, 64) n
    ) where store_uuid = ${store} and product_code = 'FULL'`.execute(gateway.database.db)
})

/** A MiB and more, in values that are allowed. */
const much = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`More ${i}`, 'y'.repeat(60 * 1024)]))
const why = "the product's attributes must take at most 4 MiB together"
const patches = [
  { productCode: 'FULL', attributes: much },
  { productCode: 'SMALL', attributes: much },
]
const put = (body: Item[]) => restData(gateway, `PUT /products?store_uuid=${store}`, body)
const colorOf = async (code: string) => (await productOf(gateway, store, code))?.attributes.Color

it('an update that would make a product larger fails for that product alone', async () => {
  const body = patches.map(({ productCode, attributes }) => ({ product_code: productCode, ...attributes }))
  expect(await put(body)).toMatchObject({
    updated_skus: ['SMALL'],
    unavailable_skus: [],
    failed_products: { FULL: { 'More 0': why } },
  })
  expect(Object.keys((await productOf(gateway, store, 'FULL'))?.attributes ?? {})).toHaveLength(64)
})

it('so does an upsert', async () => {
  const products = [...patches, { productCode: 'NEW', attributes: much }]
  expect(await ask(gateway, 'upsertProducts', { storeUuid: store, products })).toMatchObject({
    createdSkus: ['NEW'],
    updatedSkus: ['SMALL'],
    failedProducts: [{ productCode: 'FULL', failures: [{ attribute: 'More 0', reason: why }] }],
  })
})

it('each change of it counts one product, whichever attributes it has', async () => {
  const changed = (n: number) => ({ [`Text ${n}`]: 'short' })
  for (let n = 1; n <= 8; n++) await put([{ product_code: 'FULL', ...changed(n) }])
  await put([{ product_code: 'FULL', ...changed(9), ...changed(10), ...changed(11), ...changed(12), ...changed(13) }])
  const { rows } = await sql<{ count: number }>`
    select sum(count)::integer as count from change where store_uuid = ${store} and action = 'updated'
    group by request_id`.execute(gateway.database.db)
  expect(rows.map(({ count }) => count)).toEqual(Array(9).fill(1))
})

it('what fits, what it holds already and its status are written as ever', async () => {
  const items = [
    { Color: 'Blue' },
    { Color: 'Blue', 'Text 1': 'x'.repeat(60 * 1024), status: 'active' },
    { 'Text 2': 'short' },
  ]
  for (const item of items)
    expect(await put([{ product_code: 'FULL', ...item }])).toMatchObject({ updated_skus: ['FULL'] })
  expect(await colorOf('FULL')).toBe('Blue')
  expect((await productOf(gateway, store, 'FULL'))?.status).toBe('ACTIVE')
})

it('a bad patch of a large product has its own reason', async () => {
  expect(await put([{ product_code: 'FULL', ...much, Bad: 7 }])).toMatchObject({
    updated_skus: [],
    failed_products: { FULL: { Bad: expect.stringContaining('string') } },
  })
})

it('a product that is created with more fails alone', async () => {
  const wide = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`Wide ${i}`, 'z'.repeat(65_000)]))
  const body = [{ product_code: 'WIDE', ...wide }, { product_code: 'NARROW' }]
  expect(await restData(gateway, `POST /products?store_uuid=${store}`, body)).toMatchObject({
    created_skus: ['NARROW'],
    failed_products: { WIDE: { 'Wide 0': why } },
  })
})

// The blocks are those of one server.
it.skipIf(process.env.CITUS_URL)(
  'the stored attributes of a product are read once for all that a write changes, not once for each',
  async () => {
    const { db } = gateway.database
    await sql`update product set attributes = (
      select jsonb_object_agg('Text ' || n, repeat('x', 3000)) from generate_series(1, 1000) n
    ) where store_uuid = ${store} and product_code = 'FULL'`.execute(db)
    const changes = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`Text ${i + 1}`, 'short']))
    const origin = { requestId: 'r', actor: 'a', via: 'rest', operation: 'updateProducts' }
    const request = {
      ...{ patches: { FULL: changes }, statuses: {}, creates: false, updates: true },
      ...{ refused: [], failed: 0, maxSize: 4 * 1024 * 1024, origin },
    }
    const { rows } = await sql<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>`
    explain (analyze, buffers, format json)
    select from write_products(${store}::uuid, null, ${JSON.stringify(request)}::jsonb)`.execute(db)
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
    expect(plan?.['Shared Hit Blocks']).toBeLessThan(10_000)
    const { rows: changed } = await sql<{ values: number }>`
    select sum(cardinality(keys))::integer as values from change where store_uuid = ${store} and request_id = 'r'`.execute(
      db,
    )
    expect(changed).toEqual([{ values: 1000 }])
  },
)
