import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import type { ProductOrder } from '../../../src/catalogue/products/query/order.ts'
import type { ProductFilter } from '../../../src/catalogue/products/query/product-filter.ts'
import { ask } from '../../support/clients/operations.ts'
import { addAssets, addProducts, define, newStore } from '../../support/factories.ts'
import { hostileCodes, hostileNumbers, hostileTexts } from '../../support/hostile-texts.ts'
import { Random } from '../../support/random.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { record, sometimes } from '../property/values.ts'
import { conditionsOn, createdAndUpdated, filtersBy, ordersBy, statuses } from './query-arbitraries.ts'
import { facet, type ModelProduct, matches, sorted, type TypeOf } from './query-model.ts'

/** The same runs every time, unless the environment asks for others: PROPERTY_SEED=random PROPERTY_RUNS=10000. */
const numRuns = Number(process.env.PROPERTY_RUNS ?? 60)
const seed = process.env.PROPERTY_SEED === 'random' ? Date.now() | 0 : Number(process.env.PROPERTY_SEED ?? 20_261_123)

const gateway = useGateway()
let stores: { uuid: string; products: ModelProduct[] }[]

const codes = hostileCodes
const prices = [...hostileNumbers, 'free', '', '9.99', '٣']
const days = ['2024-02-29', '2024-03-01', '1999-12-31']
const names = [
  'red',
  'Red',
  'RED',
  '',
  ...hostileTexts,
  ...[95, 120, 120, 300].map((n, i) => `long ${'x'.repeat(n)}${i}`),
]
const product = fc.record({
  status: fc.constantFrom(...statuses),
  attributes: fc.record(
    {
      Price: fc.constantFrom(...prices),
      Day: fc.constantFrom(...days),
      Flag: fc.constantFrom('true', 'false'),
      Color: fc.constantFrom(...names),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  times: createdAndUpdated,
  groups: fc.uniqueArray(fc.constantFrom('SMP/image', 'SMP/video', 'channel_value_1/image'), { maxLength: 2 }),
})

/**
 * Products that were there before their attributes were declared: prices need not be numbers. In the first store no
 * attribute is filterable, in the second one some, in the third one all.
 */
async function newModel(n: number) {
  const uuid = await newStore(gateway)
  const given = fc.sample(product, { numRuns: codes.length, seed: seed + n })
  const products = codes.map((code, i) => {
    const { times, ...rest } = given[i] as (typeof given)[number]
    return { code, createdAt: times[0], updatedAt: times[1], ...rest }
  })
  await addProducts(
    gateway,
    uuid,
    products.map(({ code, status, attributes }) => ({ productCode: code, status, attributes })),
  )
  const links = products.flatMap(({ code, groups }) =>
    groups.map((group): Parameters<typeof addAssets>[2][number] => {
      const [channel = '', assetFormat = ''] = group.split('/')
      return [`${code} ${group}`, code, { channel, assetFormat }]
    }),
  )
  await addAssets(gateway, uuid, links)
  for (const { code, createdAt, updatedAt } of products) {
    await sql`update product set created_at = ${createdAt}, updated_at = ${updatedAt}
      where store_uuid = ${uuid} and product_code = ${code}`.execute(gateway.database.db)
  }
  await define(gateway, uuid, [
    { name: 'Price', type: 'NUMBER', filterable: n > 0, searchable: n > 1 },
    { name: 'Day', type: 'DATE', filterable: n > 1 },
    { name: 'Flag', type: 'BOOLEAN', filterable: n > 1 },
    { name: 'Color', type: 'TEXT', filterable: n > 0, searchable: n > 0 },
    { name: 'Nothing', type: 'TEXT', filterable: n > 1 },
  ])
  return {
    uuid,
    products: products.map(({ attributes, groups, ...rest }) => ({
      ...rest,
      searched: Object.entries(attributes).flatMap(([name, value]) =>
        (name === 'Color' && n > 0) || (name === 'Price' && n > 1) ? [value] : [],
      ),
      attributes: new Map(Object.entries(attributes)),
      groups: new Set(groups),
    })),
  }
}

beforeAll(async () => {
  stores = [await newModel(0), await newModel(1), await newModel(2)]
  stores.sort((a, b) => (a.uuid < b.uuid ? -1 : 1))
})

const attribute = fc.oneof(
  conditionsOn('Price', prices, ['10', '10.00', '-1', '9.5', '1000000000000.5', '0']),
  conditionsOn('Day', days, days),
  conditionsOn('Flag', ['true', 'false'], []),
  conditionsOn('Color', names, names),
  conditionsOn('Nothing', names, names),
)
const presence = sometimes(
  record<{ channel: string; assetFormat: string }>({
    channel: fc.constantFrom('SMP', 'channel_value_1'),
    assetFormat: fc.constantFrom('image', 'video'),
  }),
)
const filter = filtersBy(codes, fc.array(attribute, { minLength: 1, maxLength: 2 }), {
  search: fc.constantFrom('A', '_', '%', '-', '', 'r', 're', '1', '0.'),
  hasAssets: presence,
  missingAssets: presence,
})
const order = ordersBy(['Price', 'Day', 'Color', 'Nothing'])
const typeOf: TypeOf = (name) => (name === 'Price' ? 'number' : 'text')

interface Connection {
  totalCount: number
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  nodes: { productCode: string; store: { storeUuid: string } }[]
}
const page = `totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  nodes { productCode store { storeUuid } }`
const variables =
  '$filter: ProductFilter, $order: ProductOrder, $first: Int, $after: String, $last: Int, $before: String'
const given = 'filter: $filter, orderBy: $order, first: $first, after: $after, last: $last, before: $before'
const ofStore = `query ($store: ID!, ${variables}) { store(storeUuid: $store) { products(${given}) { ${page} } } }`
const ofStores = `query ($stores: [ID!], ${variables}) { products(storeUuids: $stores, ${given}) { ${page} } }`

/**
 * All products of a list, page by page from its start or its end, in the order of the list, and how many it says it
 * has.
 */
async function walk(read: (place: object) => Promise<Connection>, size: number, backwards: boolean) {
  const found: string[] = []
  let total: number | undefined
  for (let cursor: string | null = null, pages = 0; pages < 200; pages++) {
    const connection = await read(backwards ? { last: size, before: cursor } : { first: size, after: cursor })
    const { pageInfo, nodes } = connection
    total ??= connection.totalCount
    const codes = nodes.map(({ productCode, store }) => `${store.storeUuid} ${productCode}`)
    if (backwards) found.unshift(...codes)
    else found.push(...codes)
    cursor = backwards ? pageInfo.startCursor : pageInfo.endCursor
    if (!(backwards ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return { total, found }
  }
  throw new Error('a list does not end')
}

const enumValue = (name: string) => name.replace(/[A-Z]/g, ' $&').replaceAll(' ', '_').toUpperCase()
const toApi = (given: ProductFilter): object => ({
  ...given,
  ...(given.status && { status: given.status.map(enumValue) }),
  ...(given.and && { and: given.and.map(toApi) }),
  ...(given.or && { or: given.or.map(toApi) }),
  ...(given.not && { not: toApi(given.not) }),
})
const orderOf = ({ field, direction, ...rest }: ProductOrder) => ({
  field: enumValue(field),
  direction: enumValue(direction ?? 'asc'),
  ...rest,
})

const size = fc.constantFrom(1, 2, 3, 100)

it('lists, counts and facets of products are those of a model in memory, for any filter, order and page size', async () => {
  const property = fc.asyncProperty(
    filter,
    order,
    size,
    fc.boolean(),
    fc.nat(2),
    async (filter, order, size, backwards, n) => {
      const { uuid = '', products = [] } = stores[n] ?? {}
      const matching = products.filter((product) => matches(product, filter, typeOf))
      const variables = { store: uuid, filter: toApi(filter), order: orderOf(order) }
      const listed = await walk(
        async (place) => {
          const data = await gateway.data(ofStore, { ...variables, ...place })
          return (data.store as unknown as { products: Connection }).products
        },
        size,
        backwards,
      )
      const expected = sorted(matching, order, typeOf).map(({ code }) => `${uuid} ${code}`)
      expect(listed).toEqual({ total: matching.length, found: expected })

      const facets = `query ($store: ID!, $filter: ProductFilter, $first: Int, $search: String) { store(storeUuid: $store) {
      facets(names: ["Price", "Color", "Nothing"], filter: $filter, first: $first, search: $search) {
        name distinct missing values { value count } } } }`
      const search = size === 1 ? 'r' : undefined
      const data = await gateway.data(facets, { store: uuid, filter: toApi(filter), first: size, search })
      expect((data.store as unknown as { facets: unknown }).facets).toEqual(
        ['Price', 'Color', 'Nothing'].map((name) => facet(matching, name, size, search)),
      )
    },
  )
  await fc.assert(property, { numRuns, seed, endOnFailure: false })
}, 600_000)

it('lists of several stores are those of a model in memory', async () => {
  const property = fc.asyncProperty(filter, order, size, fc.boolean(), async (filter, any, size, backwards) => {
    const order: ProductOrder = any.field === 'attribute' ? { field: 'code', direction: any.direction } : any
    const variables = { stores: stores.map(({ uuid }) => uuid), filter: toApi(filter), order: orderOf(order) }
    const listed = await walk(
      async (place) => {
        const data = await gateway.data(ofStores, { ...variables, ...place })
        return data.products as unknown as Connection
      },
      size,
      backwards,
    )
    const matching = stores.flatMap(({ uuid, products }) =>
      products.filter((product) => matches(product, filter, typeOf)).map((product) => ({ ...product, uuid })),
    )
    // Stable: products that are equal stay in the order of their stores, which is turned around with all else.
    if (order.direction === 'desc') matching.reverse()
    const expected = sorted(matching, order, typeOf).map(
      (product) => `${(product as { uuid?: string }).uuid} ${product.code}`,
    )
    expect(listed).toEqual({ total: matching.length, found: expected })
  })
  await fc.assert(property, { numRuns: Math.ceil(numRuns / 4), seed, endOnFailure: false })
}, 600_000)

it('each product that nobody writes is listed once, in order, while others are written between the pages', async () => {
  const uuid = await newStore(gateway)
  const still = Array.from({ length: 60 }, (_, i) => ({
    productCode: `still-${String(i).padStart(2, '0')}`,
    attributes: { Price: String((i * 7) % 20), ...(i % 5 > 0 && { Color: `c${i % 3}` }) },
  }))
  await addProducts(gateway, uuid, still)
  await define(gateway, uuid, [{ name: 'Price', type: 'NUMBER' }])
  const random = new Random(seed)
  const disturb = async () => {
    const productCode = `moving-${random.below(40)}`
    if (random.below(3) === 0) await ask(gateway, 'deleteProducts', { storeUuid: uuid, productCodes: [productCode] })
    else
      await addProducts(gateway, uuid, [{ productCode, attributes: { Price: String(random.below(20)), Color: 'c1' } }])
  }
  for (const field of ['CODE', 'CREATED_AT', 'UPDATED_AT', 'STATUS', 'Price', 'Color'] as const) {
    for (const direction of ['ASC', 'DESC'] as const) {
      const isOwn = field !== 'Price' && field !== 'Color'
      const order = isOwn ? { field, direction } : { field: 'ATTRIBUTE', attribute: field, direction }
      const quiet = await walk(read(order), 100, false)
      const { found } = await walk(
        async (place) => {
          await disturb()
          return read(order)(place)
        },
        7,
        direction === 'DESC',
      )
      const isStill = (code: string) => code.includes(' still-')
      expect(found.filter(isStill), `${field} ${direction}`).toEqual(quiet.found.filter(isStill))
      expect(found.filter(isStill)).toHaveLength(60)
    }
  }

  function read(order: object) {
    return async (place: object) => {
      const data = await gateway.data(ofStore, { store: uuid, order, ...place })
      return (data.store as unknown as { products: Connection }).products
    }
  }
})
