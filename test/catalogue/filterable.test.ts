import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { caughtUp } from '../support/caught-up.ts'
import { type Caller, withRequestId } from '../support/clients/caller.ts'
import { ask } from '../support/clients/operations.ts'
import { restData } from '../support/clients/rest-client.ts'
import { newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

interface Definition {
  name: string
  filterable: boolean
  indexed: boolean
}

const define = (storeUuid: string, definitions: object[], caller: Caller = gateway) =>
  ask<Definition[]>(caller, 'defineAttributes', { storeUuid, definitions }, '{ name filterable indexed }')
const differences = () => checkReadModel(gateway.database.db)

const fill = (store: string, products: number) =>
  sql`with totalled as (
      insert into product_total (store_uuid, shard, status, count) values (${store}::uuid, 0, 'new', ${products}::int)
    ), named as (
      insert into attribute_name (store_uuid, name) values (${store}::uuid, 'Color'), (${store}::uuid, 'Size')
    ), filled as (
      insert into product (store_uuid, product_code, status, attributes)
      select ${store}::uuid, i::text, 'new', jsonb_build_object('Color', 'c' || i % 3, 'Size', i::text)
      from generate_series(1, ${products}::int) i
    )
    select 1`.execute(gateway.database.db)

it('a store has at most 8 filterable attributes, and keeps what it had when more are declared', async () => {
  const store = await newStore(gateway)
  const all = Array.from({ length: 8 }, (_, i) => ({ name: `a${i}`, type: 'TEXT', filterable: true }))
  expect(await define(store, all)).toMatchObject(all.map(({ name }) => ({ name, filterable: true })))
  await expect(define(store, [{ ...all[0], name: 'b' }])).rejects.toThrow(
    'definitions must leave at most 8 attributes of the store filterable; with these there are 9: a0, a1, a2, a3, a4, a5, a6, a7, b',
  )
  expect(
    await define(store, [
      { name: 'a3', type: 'TEXT' },
      { ...all[0], name: 'b' },
    ]),
  ).toHaveLength(9)
})

it('a revert that brings back too many keeps those that are indexed', async () => {
  const store = await newStore(gateway)
  const all = Array.from({ length: 8 }, (_, i) => ({ name: `a${i}`, type: 'TEXT', filterable: true }))
  await define(store, all)
  await define(store, [{ name: 'a0', type: 'TEXT' }], withRequestId(gateway, 'less'))
  await define(store, [{ name: 'b', type: 'TEXT', filterable: true }])
  await caughtUp(gateway.database, store)
  await ask(gateway, 'revertRequest', { storeUuid: store, requestId: 'less' })
  await caughtUp(gateway.database, store)
  expect((await define(store, [])).filter(({ filterable, indexed }) => !filterable || !indexed)).toMatchObject([
    { name: 'a0', filterable: false },
  ])
})

it('a full store is indexed while others write, and what is filterable no more is deleted', async () => {
  const store = await newStore(gateway)
  await fill(store, 3_000)
  const definitions = ['Color', 'Size'].map((name) => ({
    name,
    type: name === 'Size' ? 'NUMBER' : 'TEXT',
    filterable: true,
  }))
  expect(await define(store, definitions)).toEqual([
    { name: 'Color', filterable: true, indexed: false },
    { name: 'Size', filterable: true, indexed: false },
  ])
  for (let i = 1; i < 3_000; i += 100) {
    await restData(gateway, `PUT /products?store_uuid=${store}`, [{ product_code: String(i), Color: `new ${i}` }])
    await restData(gateway, `POST /products?store_uuid=${store}`, [{ product_code: `${i}-new`, Color: 'c' }])
    await ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: [String(i + 1)] })
  }
  await caughtUp(gateway.database, store)
  expect(await define(store, [])).toEqual(definitions.map(({ name }) => ({ name, filterable: true, indexed: true })))
  expect(await differences()).toEqual([])
  await define(
    store,
    definitions.map(({ name }) => ({ name, type: 'TEXT' })),
  )
  await caughtUp(gateway.database, store)
  const { rows } = await sql`select from product_index where store_uuid = ${store} limit 1`.execute(gateway.database.db)
  expect(rows).toEqual([])
})

it('filters, orders and facets of a large store use the attributes that are indexed', async () => {
  const store = await newStore(gateway)
  await fill(store, 50_001)
  await define(store, [{ name: 'Color', type: 'TEXT', filterable: true }])
  await caughtUp(gateway.database, store)
  const read = `query ($store: ID!, $filter: ProductFilter) { store(storeUuid: $store) {
    facets(names: ["Color"]) { distinct missing values { value count } }
    products(filter: $filter, first: 1, orderBy: { field: ATTRIBUTE, attribute: "Color", direction: DESC }) {
      totalCount nodes { productCode } } } }`
  expect(await gateway.data(read, { store, filter: { attributes: [{ name: 'Color', gt: 'c0' }] } })).toEqual({
    store: {
      facets: [{ distinct: 3, missing: 0, values: ['c0', 'c1', 'c2'].map((value) => ({ value, count: 16_667 })) }],
      products: { totalCount: 33_334, nodes: [{ productCode: '9998' }] },
    },
  })
  const { errors } = await gateway.graphql(read, { store, filter: { attributes: [{ name: 'Size', eq: '1' }] } })
  expect(errors?.[0]?.message).toMatch(
    /^filter\.attributes\[0\]\.name must be an attribute that is declared filterable/,
  )
})

it('a check finds rows that are not those of the products', async () => {
  const store = await newStore(gateway)
  await fill(store, 3)
  await define(store, [
    { name: 'Color', type: 'TEXT', filterable: true },
    { name: 'Size', type: 'TEXT', searchable: true },
  ])
  await caughtUp(gateway.database, store)
  const { db } = gateway.database
  await sql`update product_index set t1 = 'x' where store_uuid = ${store} and product_code = '1'`.execute(db)
  await sql`delete from product_index where store_uuid = ${store} and product_code = '2'`.execute(db)
  await sql`update product_text set text = 'x' where store_uuid = ${store} and product_code = '1'`.execute(db)
  await sql`insert into product_text values (${store}, '4', 'y')`.execute(db)
  const found = (await differences()).map(({ what, parentCode, kept, actual }) => [what, parentCode, kept, actual])
  expect(found).toEqual([
    ['index', '1', expect.stringContaining(',x,'), expect.stringContaining(',c1,')],
    ['index', '2', null, expect.stringContaining(',c2,')],
    ['text', '1', 'x', '1'],
    ['text', '4', 'y', null],
  ])
})
