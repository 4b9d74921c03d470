import { describe, expect, it } from 'vitest'
import { outcomeOf } from '../../support/clients/rest-client.ts'
import { newStore, productOf, storeWithProducts } from '../../support/factories.ts'
import { type GraphQLReply, useGateway } from '../../support/servers/gateway.ts'

const gateway = useGateway()

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const emptyObjects = `[${'{},'.repeat(18_999)}{}]`
const tenMebibytes = `[{"product_code":"A","a":[${Array(180).fill(emptyObjects)}]}]`
const nested = `[${Array(500).fill(`{"product_code":"A","a":${deep(9_000)}}`)}]`
const wide = JSON.stringify(
  Array.from({ length: 10_000 }, (_, p) => ({
    product_code: `p${p}`,
    ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`a${i}`, `${p}`])),
  })),
)
const update =
  'mutation ($s: ID!, $p: [ProductPatch!]!) { updateProducts(storeUuid: $s, products: $p) { updatedSkus } }'

const put = async (store: string, body: string) =>
  gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body })
const post = async (body: string) => {
  const { status, json } = await gateway.call('/graphql', { method: 'POST', body })
  return { status, errors: (json as GraphQLReply).errors }
}
/** The body of `update` for products as JSON text in the words of REST. */
const variables = (store: string, products: string) =>
  `{"query":${JSON.stringify(update)},"variables":{"s":"${store}","p":${products.replaceAll('product_code', 'productCode')}}}`

describe('a body that is slow to work on', () => {
  it.each([
    ['10 MiB of empty objects', tenMebibytes, /at most 600000 members in all lists and objects; it has more$/],
    ['500 values of 9,000 levels', nested, /at most 64 levels of lists and objects; it has more$/],
    ['a list of 20,001', `[{"product_code":[${'1,'.repeat(20_000)}1]}]`, /at most 20000 members in a list or object/],
  ])('is refused before it is parsed, twelve times: %s', async (_, products, details) => {
    const store = await storeWithProducts(gateway, ['A'])
    for (let i = 0; i < 6; i++) {
      const { reason, entries } = outcomeOf(await put(store, products))
      expect(reason).toBe('payload_too_large')
      expect(entries?.[0]?.details).toMatch(details)
      const { status, errors } = await post(variables(store, products))
      expect([status, errors?.[0]?.extensions.code]).toEqual([413, 'payload_too_large'])
      expect(errors?.[0]?.message).toMatch(details)
    }
  })

  it('is not one with 10,000 products of fifty attributes', async () => {
    const { status, text } = await put(await newStore(gateway), wide)
    expect([status, JSON.parse(text).data.unavailable_skus.length]).toEqual([200, 10_000])
  })
})

describe('a key that comes twice in one object', () => {
  it('is refused with the position of its product, and nothing is written', async () => {
    const store = await storeWithProducts(gateway, ['A', 'B'])
    const good = '{"product_code":"A","Color":"red"}'
    const twice = [
      `{"product_code":"A","Color":"red","product_code":"B"}`,
      `{"product_code":"A","Color":"red","\\u0043olor":"blue"}`,
      `{"product_code":"A","Sizes":{"a":[{"x":1,"x":2}]}}`,
    ]
    const { entries, reason } = outcomeOf(await put(store, `[${[good, ...twice]}]`))
    expect(reason).toBe('invalid_request')
    expect(entries).toEqual([
      {
        reason,
        index: 1,
        field: 'product_code',
        details: 'item 1: "product_code" must be given once; received more than once',
      },
      expect.objectContaining({ index: 2, field: 'Color' }),
      expect.objectContaining({ index: 3, field: 'x' }),
    ])
    expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({})
  })

  it('is refused in a body that is no list, and in an object of an item', async () => {
    const store = await gateway.call('/v1/stores', { method: 'POST', body: '{"store_name":"a","store_name":"b"}' })
    expect(outcomeOf(store).entries?.[0]).toMatchObject({
      field: 'store_name',
      details: '"store_name" must be given once; received more than once',
    })
    const url = '"Image URL 1":"https://example.com/a.jpg"'
    const body = `[{"parent_code":"A","assets":{${url},${url}}}]`
    const path = `/v1/assets?store_uuid=${await newStore(gateway)}`
    const placed = outcomeOf(await gateway.call(path, { method: 'POST', body }))
    expect(placed.entries).toMatchObject([{ index: 0, field: 'Image URL 1' }])
  })

  it('is not one that different objects have, nor a string with a colon', async () => {
    const store = await storeWithProducts(gateway, ['A', 'B'])
    const body = '[{"product_code":"A","a:b":"x:\\"y\\":","__proto__":"p","1":"1"},{"product_code":"B","a:b":""}]'
    expect(outcomeOf(await put(store, body))).toMatchObject({ data: { updated_skus: ['A', 'B'] } })
  })
})

it('an object of 19,000 unknown fields has few errors: each describes the whole object', async () => {
  const names = Array.from({ length: 19_000 }, (_, i) => [`k${i}`, []])
  const variables = { s: await newStore(gateway), p: [{ productCode: 'A', ...Object.fromEntries(names) }] }
  const { status, errors } = await post(JSON.stringify({ query: update, variables }))
  expect([status, errors?.length]).toEqual([400, 4])
  expect(errors?.map(({ message }) => message.length).every((length) => length < 1_000)).toBe(true)
})

it('a list that many root fields use counts for each of them', async () => {
  const s = await newStore(gateway)
  const p = Array.from({ length: 300 }, (_, i) => ({ productCode: `p${i}` }))
  const fields = (count: number) =>
    Array.from({ length: count }, (_, i) => `a${i}: updateProducts(storeUuid: $s, products: $p) { updatedSkus }`)
  const statementsOf = async (count: number) => {
    gateway.database.statements()
    await gateway.data(`mutation ($s: ID!, $p: [ProductPatch!]!) { ${fields(count).join(' ')} }`, { s, p })
    return gateway.database.statements()
  }
  expect(await statementsOf(1)).toBeGreaterThan(0)
  // At most the statement that reads the size of the store's patterns.
  expect(await statementsOf(20)).toBeLessThanOrEqual(1)
})
