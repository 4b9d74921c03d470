import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { callRest } from '../../support/clients/rest-client.ts'
import { define, newStore, productOf, storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()

const send = async (operation: string, body: unknown) => {
  const { data, ...reply } = await callRest(gateway, operation, body)
  return { ...reply, data: data as unknown as Answer }
}
const put = (store: string, body: unknown) => send(`PUT /products?store_uuid=${store}`, body)

interface Answer {
  updated_skus: string[]
  failed_products: Record<string, Record<string, string>>
  error_info: { details: string }[]
  failed: number
  more?: number
}

const codes = Array.from({ length: 300 }, (_, i) => `code-${i}`)
const names = Array.from({ length: 100 }, (_, i) => `name-${i}`)

it('the answer to a PUT of which every value is bad has 10,000 short reasons and the number of the others', async () => {
  const store = await storeWithProducts(gateway, ['good', ...codes])
  const allowedValues = Array.from({ length: 20 }, (_, i) => `${i} ${'x'.repeat(100)}`)
  const pattern = `[${'a'.repeat(9_998)}]`
  await define(gateway, store, [
    ...names.slice(1).map((name) => ({ name, type: 'ENUM', allowedValues })),
    { name: 'name-0', type: 'TEXT', pattern },
  ])
  const bad = Object.fromEntries(names.map((name) => [name, `not allowed: ${name}`]))
  const body = [...codes.map((product_code) => ({ product_code, ...bad })), { product_code: 'good', Color: 'red' }]
  const { status, text, data } = await put(store, body)
  expect(status).toBe(200)
  expect(data.updated_skus).toEqual(['good'])
  expect(Object.keys(data.failed_products)).toEqual(codes)
  const reasons = Object.values(data.failed_products).flatMap((failures) => Object.values(failures))
  expect([reasons.length, data.more]).toEqual([10_000, 20_000])
  for (const reason of reasons) {
    expect(reason.length).toBeLessThanOrEqual(200)
    expect(reason).toMatch(/^must (be one of 0 x+|match the pattern \[a+).*…; got "not allowed: name-\d+"$/)
  }
  expect(text.length).toBeLessThan(4 * 1024 * 1024)
  const few = await put(store, body.slice(0, 1))
  expect(few.data).not.toHaveProperty('more')
})

it('failures of items take at most 4 MiB, and the others are counted', async () => {
  const channel = '漢'.repeat(510)
  const asset_id = Array.from({ length: 10_000 }, (_, i) => `${i}`)
  const body = [{ store_uuid: await newStore(gateway), channel, parent_code: channel, asset_id }]
  const { data, text } = await send('DELETE /assets', body)
  expect(Buffer.byteLength(text)).toBeLessThan(4.5 * 1024 * 1024)
  expect(data.failed).toBe(10_000)
  expect(data.error_info.length + (data.more ?? 0)).toBe(10_000)
  expect(data.more).toBeGreaterThan(0)
  expect(Math.max(...data.error_info.map(({ details }) => [...details].length))).toBe(200)
})

it('a write whose payload would be too long changes nothing', async () => {
  const store = await newStore(gateway)
  await sql`insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, 'P' || n, 'new', jsonb_build_object('Text', ${'x'.repeat(300_000)}::text)
    from generate_series(1, 20) n`.execute(gateway.database.db)
  const copies = Array.from({ length: 12 }, (_, i) => `a${i}: attributes`).join(' ')
  const { status, json } = await gateway.post(`mutation {
    upsertProducts(storeUuid: "${store}", products: [{ productCode: "new" }]) { createdSkus }
    updateStore(storeUuid: "${store}", input: { storeName: "new" }) { products(first: 20) { nodes { ${copies} } } } }`)
  expect([status, json]).toMatchObject([
    413,
    {
      errors: [
        {
          message: expect.stringMatching(/may have 16777216 bytes.*nothing was written/),
          extensions: { code: 'payload_too_large' },
        },
      ],
    },
  ])
  expect(await productOf(gateway, store, 'new')).toBeNull()
})

it('a write whose answer would be too long under many aliases changes nothing', async () => {
  const store = await storeWithProducts(gateway, ['good'])
  const long = 'x'.repeat(2_000_000)
  const patches = [{ productCode: 'good', attributes: { Color: 'red' } }, { productCode: long }]
  const copies = (n: number) => Array.from({ length: n }, (_, i) => `a${i}: unavailableSkus`).join(' ')
  const update = (fields: string) =>
    gateway.graphql(`mutation ($store: ID!, $patches: [ProductPatch!]!) { ${fields} }`, { store, patches })
  const one = 'updateProducts(storeUuid: $store, products: $patches)'
  const reply = await update(`${one} { ${copies(40)} }`)
  expect(reply.errors?.[0]).toMatchObject({
    message: expect.stringMatching(/may have 16777216 bytes.*nothing was written/),
    extensions: { code: 'payload_too_large' },
  })
  expect((await productOf(gateway, store, 'good'))?.attributes).toEqual({})
  expect((await update(`${one} { ${copies(4)} }`)).errors).toBeUndefined()
  expect((await productOf(gateway, store, 'good'))?.attributes).toEqual({ Color: 'red' })
})
