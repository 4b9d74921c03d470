import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { ask } from '../support/clients/operations.ts'
import { define, newStore, storeWithProducts } from '../support/factories.ts'
import { needsPrimary } from '../support/needs-primary.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

const listing = `query ($store: ID!, $filter: ProductFilter, $order: ProductOrder, $after: String) {
  store(storeUuid: $store) { products(filter: $filter, orderBy: $order, after: $after) { totalCount edges { cursor node { productCode } } } }
}`

async function refusal(document: string, variables: object): Promise<string | undefined> {
  const { errors } = await gateway.graphql(document, { ...variables })
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['invalid_request'])
  return errors?.[0]?.message
}

const nested = (levels: number): object => (levels === 0 ? { search: 'x' } : { not: nested(levels - 1) })
const many = (n: number) => Array.from({ length: n }, () => ({ name: 'Color', eq: 'x' }))

it.each<[filter: object, message: string]>([
  [{ attributes: [] }, 'filter.attributes must have at least one item; got an empty list: leave it out instead'],
  [{ not: { or: [] } }, 'filter.not.or must have at least one item; got an empty list: leave it out instead'],
  [
    { and: [{ attributes: [{ name: 'Color', in: [] }] }] },
    'filter.and[0].attributes[0].in must have at least one item; got an empty list: leave it out instead',
  ],
  [
    { attributes: [{ name: 'Color' }] },
    'filter.attributes[0] must have a condition, such as eq, in or exists; got only the name',
  ],
  [
    { attributes: [{ name: 'product_code', eq: '1' }] },
    'filter.attributes[0].name is not usable: product_code cannot be an attribute\'s name; got "product_code"',
  ],
  [
    { attributes: [{ name: 'Price', gt: 'cheap' }] },
    'filter.attributes[0].gt must be a decimal number such as 12.5; got "cheap"; the attribute is declared NUMBER',
  ],
  [
    { attributes: [{ name: 'Day', lte: '2026-02-30' }] },
    'filter.attributes[0].lte must be a date YYYY-MM-DD; got "2026-02-30"; the attribute is declared DATE',
  ],
  [
    { attributes: [{ name: 'Flag', gte: 'true' }] },
    'filter.attributes[0].gte must be left out: the attribute is declared BOOLEAN, which has no order; got "true": use eq',
  ],
  [
    { attributes: [{ name: 'Price', gt: '10', lt: '9' }] },
    'filter.attributes[0] must have its lower bound below its upper one; got "10" and "9"',
  ],
  [
    { createdAt: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } },
    'filter.createdAt must have from before to; got 2026-01-02T00:00:00.000Z and 2026-01-01T00:00:00.000Z',
  ],
  [{ updatedAt: {} }, 'filter.updatedAt must have from, to or both; got neither'],
  [
    nested(6),
    'filter.not.not.not.not.not must have no further filters within it: and, or and not may have 5 levels; got more',
  ],
  [
    nested(60),
    'filter.not.not.not.not.not must have no further filters within it: and, or and not may have 5 levels; got more',
  ],
  [{ attributes: many(51) }, 'filter must have at most 50 conditions; got 51'],
  [{ or: Array.from({ length: 51 }, () => ({})) }, 'filter must have at most 50 filters within it; got more'],
])('the filter %j is refused by a sentence', async (filter, message) => {
  const store = await newStore(gateway)
  await define(gateway, store, [
    { name: 'Price', type: 'NUMBER' },
    { name: 'Day', type: 'DATE' },
    { name: 'Flag', type: 'BOOLEAN' },
  ])
  expect(await refusal(listing, { store, filter })).toBe(message)
})

it('a part that codes are to contain has at most 1,000 characters', async () => {
  const filter = { search: 'x'.repeat(1_001) }
  expect(await refusal(listing, { store: await newStore(gateway), filter })).toBe(
    'filter.search must have at most 1000 characters; got a text of 1001 characters',
  )
})

it.each(['2026-02-30T00:00:00Z', '2026-04-31T10:00:00+02:00', '2026-02-29T23:59:59.5-01:00'])(
  'the day of %s is in no calendar',
  async (from) => {
    const message = await refusal(listing, { store: await newStore(gateway), filter: { createdAt: { from } } })
    expect(message).toContain('DateTime must be a time as RFC 3339')
  },
)

it('no day has an hour 24', async () => {
  const filter = { createdAt: { from: '2026-11-28T24:00:00Z' } }
  const message = await refusal(listing, { store: await newStore(gateway), filter })
  expect(message).toContain('DateTime must be a time as RFC 3339')
})

it('names every fault of a filter, and unknown channels with the known ones', async () => {
  const store = await newStore(gateway)
  const bad = { missingAssets: { channel: 'smp' }, codePrefix: '\0' }
  const filter = { or: [bad, { attributes: [], hasAssets: { assetFormat: 'jpg' } }] }
  const { errors } = await gateway.graphql(listing, { store, filter })
  expect(errors?.[0]?.extensions.errorInfo).toMatchObject([
    {
      field: 'filter.or[0].missingAssets.channel',
      details: expect.stringMatching(/^filter\.or\[0\].*SMP.*got "smp"$/),
    },
    { field: 'filter.or[0].codePrefix', details: expect.stringContaining('NUL') },
    { field: 'filter.or[1].attributes' },
    { field: 'filter.or[1].hasAssets.assetFormat', details: expect.stringMatching(/image.*got "jpg"$/) },
  ])
})

it.each<[order: object, message: string]>([
  [{ field: 'ATTRIBUTE' }, 'orderBy.attribute must name the attribute to order by: got none'],
  [{ field: 'CODE', attribute: 'Price' }, 'orderBy.attribute must be left out unless field is ATTRIBUTE; got "Price"'],
])('the order %j is refused by a sentence', async (order, message) => {
  expect(await refusal(listing, { store: await newStore(gateway), order })).toBe(message)
})

it('an order by an attribute that is declared BOOLEAN is refused by a sentence', async () => {
  const store = await newStore(gateway)
  const order = { field: 'ATTRIBUTE', attribute: 'Flag' }
  await define(gateway, store, [{ name: 'Flag', type: 'BOOLEAN', filterable: true }])
  expect(await refusal(listing, { store, order })).toBe(
    'orderBy.attribute must be an attribute with an order; "Flag" is declared BOOLEAN, which has none: filter by eq',
  )
})

it('cursors are for the order that they were made in', async () => {
  const store = await storeWithProducts(gateway, [{ productCode: '1', attributes: { Price: 'x' } }, '2'])
  const price = { field: 'ATTRIBUTE', attribute: 'Price' }
  const cursorOf = async (order: object) => {
    const { store: found } = await gateway.data(listing, { store, order })
    return (found as unknown as { products: { edges: { cursor: string }[] } }).products.edges[0]?.cursor
  }
  const orders = [
    { field: 'CODE' },
    { field: 'UPDATED_AT' },
    { field: 'STATUS' },
    price,
    { ...price, attribute: 'Size' },
  ]
  for (const order of orders) {
    for (const other of orders.filter((one) => one !== order)) {
      const message = await refusal(listing, { store, order, after: await cursorOf(other) })
      expect(message).toMatch(/^after must be a cursor from this connection and order; got /)
    }
  }
  const after = await cursorOf(price)
  await define(gateway, store, [{ name: 'Price', type: 'NUMBER' }])
  expect(await refusal(listing, { store, order: price, after })).toMatch(/the type of the attribute has changed/)
  const forged = Buffer.from(`products createdAt asc:${JSON.stringify(['2026-13-01T00:00:00Z', '1'])}`).toString(
    'base64url',
  )
  expect(await refusal(listing, { store, order: { field: 'CREATED_AT' }, after: forged })).toMatch(/^after must be/)
})

it('values of attributes are read in stores of up to 50,000 products', async (test) => {
  needsPrimary(test, 'writes go past the client')
  const store = await newStore(gateway)
  const { db } = gateway.database
  const fill = async (from: number, to: number) => {
    await sql`insert into product_total values (${store}::uuid, ${from % 7}, 'new', ${to - from + 1})`.execute(db)
    await sql`insert into product (store_uuid, product_code, status, attributes)
      select ${store}::uuid, i::text, 'new', '{"Color": "red"}' from generate_series(${from}::int, ${to}::int) i`.execute(
      db,
    )
  }
  await fill(1, 50_000)
  const filter = { attributes: [{ name: 'Color', eq: 'red' }] }
  const counted = `query ($store: ID!, $filter: ProductFilter) { store(storeUuid: $store) {
    products(filter: $filter, first: 0) { totalCount } facets(names: ["Color"]) { values { value count } } } }`
  expect(await gateway.data(counted, { store, filter })).toEqual({
    store: { products: { totalCount: 50_000 }, facets: [{ values: [{ value: 'red', count: 50_000 }] }] },
  })
  await fill(50_001, 50_001)
  const tooLarge =
    'must be an attribute that is declared filterable and indexed, in a store of more than 50,000 products; "Color" is not: declare it by defineAttributes'
  expect(await refusal(counted, { store, filter })).toContain(tooLarge)
  expect(await refusal(listing, { store, filter })).toBe(`filter.attributes[0].name ${tooLarge}`)
  expect(await refusal(counted, { store })).toBe(`names[0] ${tooLarge}`)
  const order = { field: 'ATTRIBUTE', attribute: 'Color' }
  expect(await refusal(listing, { store, order })).toMatch(
    /^orderBy\.attribute must be an attribute that is declared filterable/,
  )
  expect(
    await gateway.data(counted.replace(/facets.*} }(?= } })/, ''), { store, filter: { search: '50001' } }),
  ).toEqual({
    store: { products: { totalCount: 1 } },
  })
})

it('a product has single attributes, and those of some names', async () => {
  const attributes = { Color: 'red', Size: 'M', __proto__x: '1' }
  const store = await storeWithProducts(gateway, [{ productCode: '1', attributes }])
  const document = `query ($store: ID!) { store(storeUuid: $store) { product(productCode: "1") {
    color: attribute(name: "Color") none: attribute(name: "toString") attributes
    some: attributes(names: ["Size", "Size", "constructor"]) nothing: attributes(names: []) } } }`
  expect(await gateway.data(document, { store })).toEqual({
    store: { product: { color: 'red', none: null, attributes, some: { Size: 'M' }, nothing: {} } },
  })
})

it('a list of several stores is one statement for each of them, and names the store that is not there', async () => {
  const uuids = await Promise.all(['a', 'b', 'c'].map(() => storeWithProducts(gateway, ['same', 'other'])))
  const document = `query ($stores: [ID!], $order: ProductOrder) { products(storeUuids: $stores, orderBy: $order, filter: { codes: ["same"] }) {
    totalCount nodes { productCode store { storeUuid } } } }`
  const data = await gateway.data(document, { stores: [...uuids, uuids[0]?.toUpperCase()] })
  expect(data).toEqual({
    products: {
      totalCount: 3,
      nodes: uuids.toSorted().map((storeUuid) => ({ productCode: 'same', store: { storeUuid } })),
    },
  })
  const first = `query ($stores: [ID!]) { products(storeUuids: $stores, first: 1) { nodes { productCode } } }`
  await gateway.data(first, { stores: uuids })
  gateway.database.statements()
  await gateway.data(first, { stores: uuids })
  expect(gateway.database.statements()).toBe(uuids.length + 1)

  const absent = '01a1fdce-0000-7000-8000-00000000000f'
  const { errors } = await gateway.graphql(document, { stores: [...uuids, absent] })
  expect(errors).toMatchObject([{ message: `there is no store "${absent}"`, extensions: { code: 'store_not_found' } }])
  const order = { field: 'ATTRIBUTE', attribute: 'Color' }
  expect(await refusal(document, { stores: uuids, order })).toMatch(/^orderBy\.field must be CODE, CREATED_AT/)
})

it('a page of several stores reads little more than its products', async () => {
  const products = Array.from({ length: 20 }, (_, i) => ({
    productCode: `P${10 + i}`,
    attributes: { Text: 'x'.repeat(60_000) },
  }))
  // One after another: bodies of this size wait for a thread, and for 10 s at most.
  const uuids: string[] = []
  while (uuids.length < 8) uuids.push(await storeWithProducts(gateway, products))
  const document = `query ($stores: [ID!], $order: ProductOrder, $first: Int, $last: Int, $before: String) {
    products(storeUuids: $stores, orderBy: $order, first: $first, last: $last, before: $before) {
      pageInfo { startCursor } nodes { productCode store { storeUuid } } } }`
  const nodesOf = (codes: string[]) =>
    codes.flatMap((productCode) => uuids.toSorted().map((storeUuid) => ({ productCode, store: { storeUuid } })))
  const page = async (args: object) => {
    const { products } = await gateway.data(document, { stores: uuids, ...args })
    return products as unknown as { pageInfo: { startCursor: string }; nodes: unknown[] }
  }
  expect(await page({ first: 20 })).toMatchObject({ nodes: nodesOf(['P10', 'P11', 'P12']).slice(0, 20) })
  const last = await page({ last: 20 })
  expect(last).toMatchObject({ nodes: nodesOf(['P27', 'P28', 'P29']).slice(4) })
  const before = last.pageInfo.startCursor
  expect(await page({ last: 20, before })).toMatchObject({ nodes: nodesOf(['P25', 'P26', 'P27']).slice(0, 20) })
})

it('a page costs one statement, and one more to choose what answers conditions on attributes and searches', async (test) => {
  needsPrimary(test, 'its statements are counted')
  const store = await storeWithProducts(gateway, ['1'])
  const document = `query ($store: ID!, $filter: ProductFilter) { store(storeUuid: $store) { products(filter: $filter) { nodes { productCode } } } }`
  const statements = async (filter: object) => {
    await gateway.data(document, { store, filter })
    gateway.database.statements()
    await gateway.data(document, { store, filter })
    return gateway.database.statements()
  }
  expect(await statements({ not: { hasAssets: {} } })).toBe(2)
  expect(await statements({ not: { search: 'x' } })).toBe(3)
  expect(await statements({ attributes: [{ name: 'Color', ne: 'x' }] })).toBe(3)
})

it('each API names the code of a product that it cannot have as it names the argument', async () => {
  const store = await newStore(gateway)
  const reason = 'must have 1 to 255 characters, without NUL and lone surrogates'
  const upserted = await ask(gateway, 'upsertProducts', { storeUuid: store, products: [{ productCode: '' }] })
  expect(upserted).toMatchObject({ failedProducts: [{ failures: [{ attribute: 'productCode', reason }] }] })
  const body = [{ product_code: '', productCode: 'x' }]
  const { json } = await gateway.call(`/v1/products?store_uuid=${store}`, { method: 'POST', body })
  expect(json).toMatchObject({ data: { failed_products: { '': { product_code: reason } } } })
})
