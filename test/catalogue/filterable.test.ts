import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { valueFaults } from '../support/database/value-faults.ts'
import { newStore, query } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

interface Definition {
  name: string
  filterable: boolean
  indexed: boolean
}

const document = `mutation ($store: ID!, $definitions: [AttributeDefinitionInput!]!) {
  result: defineAttributes(storeUuid: $store, definitions: $definitions) { name filterable indexed } }`

async function define(store: string, definitions: object[]) {
  return (await query<Definition[]>(gateway, document, { store, definitions })).result
}

async function jobsOf(store: string) {
  const data = await gateway.data(
    'query ($store: ID!) { store(storeUuid: $store) { jobs(last: 9) { nodes { kind state rowsDone } } } }',
    { store },
  )
  return (data.store as unknown as { jobs: { nodes: { kind: string; state: string; rowsDone: number }[] } }).jobs.nodes
}

const ended = (store: string, jobs: number) =>
  expect
    .poll(async () => (await jobsOf(store)).filter(({ state }) => state === 'SUCCEEDED').length, { timeout: 150_000 })
    .toBe(jobs)

const fill = (store: string, products: number) =>
  sql`insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, i::text, 'new', jsonb_build_object('Color', 'c' || i % 3, 'Size', i::text)
    from generate_series(1, ${products}::int) i`.execute(gateway.database.db)

it('a store has at most 8 filterable attributes, and keeps what it had when more are declared', async () => {
  const store = await newStore(gateway)
  const all = Array.from({ length: 8 }, (_, i) => ({ name: `a${i}`, type: 'TEXT', filterable: true }))
  expect(await define(store, all)).toEqual(all.map(({ name }) => ({ name, filterable: true, indexed: true })))
  const { errors } = await gateway.graphql(document, { store, definitions: [{ ...all[0], name: 'b' }] })
  expect(errors?.[0]?.message).toBe(
    'definitions must leave at most 8 attributes of the store filterable; with these there are 9: a0, a1, a2, a3, a4, a5, a6, a7, b',
  )
  expect(
    await define(store, [
      { name: 'a3', type: 'TEXT' },
      { ...all[0], name: 'b' },
    ]),
  ).toHaveLength(9)
  expect(await valueFaults(gateway.database)).toEqual([])
})

it('a job indexes a full store while others write, and what is filterable no more', async () => {
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
  await define(store, definitions)
  const write = (i: number) =>
    gateway.call(`/v1/products?store_uuid=${store}`, {
      method: 'PUT',
      body: [{ product_code: String(i), Color: `new ${i}` }],
    })
  for (let i = 1; i < 3_000; i += 50) await write(i)
  await ended(store, 1)
  expect(await jobsOf(store)).toEqual([{ kind: 'INDEX', state: 'SUCCEEDED', rowsDone: 3_000 }])
  expect(await define(store, [])).toEqual(definitions.map(({ name }) => ({ name, filterable: true, indexed: true })))
  expect(await valueFaults(gateway.database)).toEqual([])
  await define(
    store,
    definitions.map(({ name }) => ({ name, type: 'TEXT' })),
  )
  await ended(store, 2)
  expect(await valueFaults(gateway.database)).toEqual([])
})

it('filters, orders and facets of a large store use the attributes that are indexed', {
  timeout: 180_000,
}, async () => {
  const store = await newStore(gateway)
  await fill(store, 50_001)
  await define(store, [{ name: 'Color', type: 'TEXT', filterable: true }])
  await ended(store, 1)
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
