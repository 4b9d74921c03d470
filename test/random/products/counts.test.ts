import { subscribe } from 'node:diagnostics_channel'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it, vi } from 'vitest'
import { sentStatements } from '../../../src/database/connection/sent-statements.ts'
import { ask } from '../../support/clients/operations.ts'
import { define, newStore } from '../../support/factories.ts'
import { Random } from '../../support/random.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { type Filter, type ModelProduct, matches } from './model.ts'

const numRuns = Number(process.env.PROPERTY_RUNS ?? 60)
const seed = process.env.PROPERTY_SEED === 'random' ? Date.now() | 0 : Number(process.env.PROPERTY_SEED ?? 20_261_123)

const gateway = useGateway()
const random = new Random(seed)

/** Up to 5,000 products that may match are looked up: half of these are more. */
const total = 12_000

/** A wide condition is met by more than half of the products. */
function randomProduct(i: number): ModelProduct {
  const oneOf = (values: readonly string[]) => values[random.below(values.length)] ?? ''
  const attributes = {
    Color: oneOf(['a', 'b', 'c', 'd']),
    Size: oneOf(['x', 'x', 'x', 'y', 'z']),
    Price: String(random.below(30)),
    Cut: i === 0 ? 'l'.repeat(300) : oneOf(['k', 'm']),
    ...(random.below(10) > 0 && { Some: oneOf(['p', 'p', 'p', 'q']) }),
  }
  const status = oneOf(['new', 'new', 'new', 'new', 'active'])
  const others = { searched: [], groups: new Set<string>(), createdAt: '', updatedAt: '' }
  return { code: `p${i}`, status, attributes: new Map(Object.entries(attributes)), ...others }
}

const products = Array.from({ length: total }, (_, i) => randomProduct(i))
let store: string
let counted = 0

beforeAll(async () => {
  subscribe(sentStatements.name, (text) => {
    if (String(text).includes(' as sizes from ')) counted++
  })
  store = await newStore(gateway)
  const rows = JSON.stringify(products.map((one) => ({ ...one, attributes: Object.fromEntries(one.attributes) })))
  await sql`
    with added as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${store}::uuid, code, status, attributes
      from jsonb_to_recordset(${rows}::jsonb) as p(code text, status text, attributes jsonb)
      returning status
    )
    insert into product_total (store_uuid, shard, status, count)
    select ${store}::uuid, 0, status, count(*)::int from added group by status`.execute(gateway.database.db)
  await define(
    gateway,
    store,
    ['Color', 'Size', 'Price', 'Cut', 'Some'].map((name) => ({
      name,
      type: name === 'Price' ? 'NUMBER' : 'TEXT',
      filterable: true,
    })),
  )
  const isIndexed = async () => {
    const selection = '{ attributeDefinitions { indexed } }'
    const found = await ask<{ attributeDefinitions: { indexed: boolean }[] }>(
      gateway,
      'store',
      { storeUuid: store },
      selection,
    )
    return found.attributeDefinitions.every(({ indexed }) => indexed)
  }
  await vi.waitUntil(isIndexed, { timeout: 120_000, interval: 100 })
  await changeSome()
}, 180_000)

/** Some values are counted less since then, some new. */
async function changeSome(): Promise<void> {
  const changed = products.slice(0, 300).map((product) => ({ ...product, status: 'draft' }))
  for (const product of changed) product.attributes = new Map([...product.attributes, ['Color', 'new'], ['Size', 'y']])
  products.splice(0, changed.length, ...changed)
  await ask(gateway, 'updateProducts', {
    storeUuid: store,
    products: changed.map(({ code }) => ({
      productCode: code,
      status: 'DRAFT',
      attributes: { Color: 'new', Size: 'y' },
    })),
  })
}

const anyOf = (name: string, values: readonly string[]) => {
  const value = fc.constantFrom(...values)
  const list = fc.uniqueArray(value, { minLength: 2, maxLength: 3 })
  return fc.oneof(
    list.map((list) => ({ name, in: list })),
    value.map((ne) => ({ name, ne })),
    fc.constant({ name, exists: true }),
    fc.constantFrom('gte' as const, 'lt' as const).chain((key) => value.map((bound) => ({ name, [key]: bound }))),
  )
}
const condition = fc.oneof(
  { weight: 3, arbitrary: anyOf('Color', ['a', 'b', 'c', 'd', 'new']) },
  { weight: 3, arbitrary: anyOf('Size', ['x', 'y', 'z']) },
  {
    weight: 3,
    arbitrary: fc.oneof(
      fc.nat(14).map((n) => ({ name: 'Price', gte: String(n) })),
      fc.integer({ min: 12, max: 30 }).map((n) => ({ name: 'Price', lt: String(n) })),
    ),
  },
  anyOf('Cut', ['k', 'm']),
  anyOf('Some', ['p', 'q']),
)
const conditions = fc.array(condition, { minLength: 1, maxLength: 3 })
const filter = fc.record(
  {
    attributes: conditions,
    status: fc.constantFrom<string[]>(['new'], ['new', 'draft'], ['active', 'new']),
    and: conditions.map((attributes) => [{ attributes }]),
  },
  { requiredKeys: ['attributes'], noNullPrototype: true },
)

it('products that meet several wide conditions are counted as by a model in memory', async () => {
  const property = fc.asyncProperty(filter, async (any) => {
    const given = any as Filter
    const statuses = given.status?.map((status) => status.toUpperCase())
    const selection = '{ products(first: 0, filter: $filter) { totalCount } }'
    const document = `query ($store: ID!, $filter: ProductFilter) { store(storeUuid: $store) ${selection} }`
    const data = await gateway.data(document, { store, filter: { ...given, ...(statuses && { status: statuses }) } })
    expect(data).toEqual({ store: { products: { totalCount: products.filter((one) => matches(one, given)).length } } })
  })
  await fc.assert(property, { numRuns, seed, endOnFailure: false })
  expect(counted).toBeGreaterThan(numRuns / 3)
}, 600_000)
