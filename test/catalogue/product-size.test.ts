import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { productOf, query, storeWithProducts } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()
let store: string

/** `FULL` has 3.75 MiB of 4. */
beforeEach(async () => {
  store = await storeWithProducts(gateway, ['FULL', 'SMALL'])
  await sql`update product set attributes = (
      select jsonb_object_agg('Text ' || n, repeat('x', 60 * 1024)) from generate_series(1, 64) n
    ) where store_uuid = ${store} and product_code = 'FULL'`.execute(gateway.database.db)
}, 30_000)

/** A MiB and more, in values that are allowed. */
const much = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`More ${i}`, 'y'.repeat(60 * 1024)]))
const why = "the product's attributes must take at most 4 MiB together"
const patches = [
  { productCode: 'FULL', attributes: much },
  { productCode: 'SMALL', attributes: much },
]
const colorOf = async (code: string) => (await productOf(gateway, store, code))?.attributes.Color

it('an update that would make a product larger fails for that product alone', async () => {
  const body = patches.map(({ productCode, attributes }) => ({ product_code: productCode, ...attributes }))
  const { status, json } = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
  expect({ status, json }).toMatchObject({
    status: 200,
    json: { data: { updated_skus: ['SMALL'], unavailable_skus: [], failed_products: { FULL: { 'More 0': why } } } },
  })
  expect(Object.keys((await productOf(gateway, store, 'FULL'))?.attributes ?? {})).toHaveLength(64)
})

it('so does an upsert', async () => {
  const document = `mutation ($store: ID!, $products: [ProductPatch!]!) { result: upsertProducts(storeUuid: $store, products: $products) {
    createdSkus updatedSkus failedProducts { productCode failures { attribute reason } } } }`
  const products = [...patches, { productCode: 'NEW', attributes: much }]
  expect((await query(gateway, document, { store, products })).result).toEqual({
    createdSkus: ['NEW'],
    updatedSkus: ['SMALL'],
    failedProducts: [{ productCode: 'FULL', failures: [{ attribute: 'More 0', reason: why }] }],
  })
})

it('what fits, what it holds already and its status are written as ever', async () => {
  const put = async (item: Record<string, string>) => {
    const body = [{ product_code: 'FULL', ...item }]
    const { json } = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
    return (json as { data: { updated_skus: string[] } }).data.updated_skus
  }
  expect(await put({ Color: 'Blue' })).toEqual(['FULL'])
  expect(await put({ Color: 'Blue', 'Text 1': 'x'.repeat(60 * 1024), status: 'active' })).toEqual(['FULL'])
  expect(await put({ 'Text 2': 'short' })).toEqual(['FULL'])
  expect(await colorOf('FULL')).toBe('Blue')
  expect((await productOf(gateway, store, 'FULL'))?.status).toBe('ACTIVE')
})

it('a bad patch of a large product has its own reason', async () => {
  const body = [{ product_code: 'FULL', ...much, Bad: 7 }]
  const { json } = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
  expect(json).toMatchObject({
    data: { updated_skus: [], failed_products: { FULL: { Bad: expect.stringContaining('string') } } },
  })
})

it('a product that is created with more fails alone', async () => {
  const wide = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`Wide ${i}`, 'z'.repeat(65_000)]))
  const body = [{ product_code: 'WIDE', ...wide }, { product_code: 'NARROW' }]
  const { json } = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'POST', body })
  expect(json).toMatchObject({ data: { created_skus: ['NARROW'], failed_products: { WIDE: { 'Wide 0': why } } } })
})
