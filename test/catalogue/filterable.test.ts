import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { checkReadModel } from '../../src/catalogue/asset-groups/check-read-model.ts'
import { countedCharacters, maxCounted } from '../../src/catalogue/values/value-keys.ts'
import { resumeIndexing } from '../../src/jobs/run-index.ts'
import { caughtUp } from '../support/caught-up.ts'
import { ask } from '../support/clients/operations.ts'
import { restData } from '../support/clients/rest-client.ts'
import { valueFaults } from '../support/database/value-faults.ts'
import { newStore } from '../support/factories.ts'
import { needsPrimary } from '../support/needs-primary.ts'
import { startTestGateway, useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway()

interface Definition {
  name: string
  filterable: boolean
  indexed: boolean
}

const define = (storeUuid: string, definitions: object[]) =>
  ask<Definition[]>(gateway, 'defineAttributes', { storeUuid, definitions }, '{ name filterable indexed }')
const defineTexts = (store: string, ...names: string[]) =>
  define(
    store,
    names.map((name) => ({ name, type: 'TEXT', filterable: true })),
  )
const send = (method: 'POST' | 'PUT', store: string, body: object[]) =>
  restData(gateway, `${method} /products?store_uuid=${store}`, body)

async function jobsOf(storeUuid: string) {
  type Found = { jobs: { nodes: { kind: string; state: string; rowsDone: number }[] } }
  const selection = '{ jobs(last: 9) { nodes { kind state rowsDone } } }'
  return (await ask<Found>(gateway, 'store', { storeUuid }, selection)).jobs.nodes
}

/** A definition that is written while a job begins may need another one. */
const ended = async (store: string) => {
  await expect
    .poll(async () => (await jobsOf(store)).every(({ state }) => state === 'SUCCEEDED'), { timeout: 150_000 })
    .toBe(true)
  await caughtUp(gateway.database, store)
}

const fill = (store: string, products: number) =>
  sql`with totalled as (
      insert into product_total (store_uuid, shard, status, count) values (${store}::uuid, 0, 'new', ${products}::int)
    )
    insert into product (store_uuid, product_code, status, attributes)
    select ${store}::uuid, i::text, 'new', jsonb_build_object('Color', 'c' || i % 3, 'Size', i::text)
    from generate_series(1, ${products}::int) i`.execute(gateway.database.db)

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
  for (let i = 1; i < 3_000; i += 50) await send('PUT', store, [{ product_code: String(i), Color: `new ${i}` }])
  await ended(store)
  expect((await jobsOf(store))[0]).toEqual({ kind: 'INDEX', state: 'SUCCEEDED', rowsDone: 3_000 })
  expect(await define(store, [])).toEqual(definitions.map(({ name }) => ({ name, filterable: true, indexed: true })))
  expect(await valueFaults(gateway.database)).toEqual([])
  await define(
    store,
    definitions.map(({ name }) => ({ name, type: 'TEXT' })),
  )
  await ended(store)
  expect(await valueFaults(gateway.database)).toEqual([])
})

it('filters, orders and facets of a large store use the attributes that are indexed', {
  timeout: 180_000,
}, async () => {
  const store = await newStore(gateway)
  await fill(store, 50_001)
  await defineTexts(store, 'Color')
  await ended(store)
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

const countedIn = async (store: string) => {
  const { rows } = await sql<{ counts: number }>`
    select count(c.value)::int as counts from attribute_definition d
      left join value_count c on c.store_uuid = d.store_uuid and c.slot = d.slot and d.is_counted
    where d.store_uuid = ${store}::uuid group by d.name order by d.name`.execute(gateway.database.db)
  return rows.map(({ counts }) => counts)
}

it('values are counted while a job indexes and products come, change and go', { timeout: 180_000 }, async () => {
  const store = await newStore(gateway)
  await fill(store, 6_000)
  await defineTexts(store, 'Color')
  for (let i = 1; i <= 6_000; i += 100) {
    await send('POST', store, [{ product_code: `${i}-new`, Color: `c${i % 5}` }])
    await send('PUT', store, [{ product_code: String(i), Color: `c${i % 7}` }])
    await ask(gateway, 'deleteProducts', { storeUuid: store, productCodes: [String(i + 1)] })
  }
  await ended(store)
  expect(await countedIn(store)).toEqual([7])
  expect(await valueFaults(gateway.database)).toEqual([])
})

it('the bounds of counts are the same in SQL and in TypeScript', { timeout: 180_000 }, async () => {
  const store = await newStore(gateway)
  await fill(store, maxCounted)
  await defineTexts(store, 'Color', 'Size')
  await ended(store)
  expect(await countedIn(store)).toEqual([3, maxCounted])
  // So many changes are never overlooked.
  const write = async (from: number, to: number) => {
    const body = Array.from({ length: to - from }, (_, i) => ({
      product_code: String(from + i),
      Color: 'x'.repeat(countedCharacters + 1),
      Size: `new ${from + i}`,
    }))
    await send('PUT', store, body)
  }
  await write(1, 300)
  expect(await countedIn(store)).toEqual([4, maxCounted])
  const { rows } = await sql`
    select max(length(value)) as length from value_count where store_uuid = ${store}::uuid`.execute(gateway.database.db)
  expect(rows).toEqual([{ length: countedCharacters }])
  await send('POST', store, [{ product_code: 'one more', Size: 'one more' }])
  await write(300, 600)
  expect(await countedIn(store)).toEqual([4, 0])
  await define(store, [{ name: 'Size', type: 'NUMBER', filterable: true }])
  await defineTexts(store, 'Color', 'Size')
  await ended(store)
  expect(await countedIn(store)).toEqual([4, 0])
  expect(await valueFaults(gateway.database)).toEqual([])
})

it('a gateway starts the indexing again whose job has failed, was deleted or not in the backup', async (test) => {
  needsPrimary(test, 'writes go past the client')
  const store = await newStore(gateway)
  await fill(store, 1_500)
  await defineTexts(store, 'Color')
  await ended(store)
  const { db } = gateway.database
  await sql`delete from job where store_uuid = ${store}::uuid`.execute(db)
  await sql`
    update attribute_definition set is_indexed = false, indexed_by = ${randomUUID()}::uuid
    where store_uuid = ${store}::uuid`.execute(db)
  const other = await startTestGateway({ database: gateway.database })
  onTestFinished(() => other.stop())
  await expect
    .poll(async () => (await jobsOf(store)).map(({ state }) => state), { timeout: 60_000 })
    .toEqual(['SUCCEEDED'])
  expect(await valueFaults(gateway.database)).toEqual([])
})

it('of an attempt to index that failed lately nothing is begun, later one job by several gateways', async () => {
  const { db } = gateway.database
  const store = await newStore(gateway)
  await fill(store, 1_500)
  await defineTexts(store, 'Color')
  await ended(store)
  await sql`update job set state = 'failed' where store_uuid = ${store}::uuid`.execute(db)
  await sql`update attribute_definition set is_indexed = false where store_uuid = ${store}::uuid`.execute(db)
  const resume = () => resumeIndexing(db, { queued: 20, keptMb: 1_024 }, pino({ level: 'silent' }))
  expect(await resume()).toBe(false)
  await sql`update job set finished_at = now() - interval '2 hours' where store_uuid = ${store}::uuid`.execute(db)
  expect((await Promise.all([resume(), resume()])).toSorted()).toEqual([false, true])
  await expect.poll(async () => (await jobsOf(store)).map(({ state }) => state)).toEqual(['FAILED', 'SUCCEEDED'])
  expect(await valueFaults(gateway.database)).toEqual([])
})

it('a store that copies the attributes of another one counts their values', async () => {
  const linked = await newStore(gateway)
  await defineTexts(linked, 'Color')
  const store = await newStore(gateway, {}, `?linked_store_id=${linked}&copy_taxonomy=true`)
  await send('POST', store, [{ product_code: 'a', Color: 'red' }])
  expect(await countedIn(store)).toEqual([1])
})

it('a PUT brings values up to date of products whose status or value alone changes', async () => {
  const store = await newStore(gateway)
  await fill(store, 4)
  await defineTexts(store, 'Color')
  await send('PUT', store, [
    { product_code: '1', status: 'active', Color: 'c1', Size: '9' },
    { product_code: '2', Color: 'other' },
    { product_code: '3', Size: '9' },
    { product_code: '4', Color: 'c1', Size: '9' },
  ])
  const { rows } = await sql`
    select product_code as code, status, attributes ->> 'Color' as color from product_value
    where store_uuid = ${store} order by product_code`.execute(gateway.database.db)
  expect(rows).toEqual([
    { code: '1', status: 'active', color: 'c1' },
    { code: '2', status: 'new', color: 'other' },
    { code: '3', status: 'new', color: 'c0' },
    { code: '4', status: 'new', color: 'c1' },
  ])
  expect(await valueFaults(gateway.database)).toEqual([])
})

it('a check finds values and counts that are not those of the products', async () => {
  const store = await newStore(gateway)
  await fill(store, 3)
  await defineTexts(store, 'Color')
  const { db } = gateway.database
  await sql`update product_value set attributes = '{"Color": "x"}' where store_uuid = ${store}::uuid and product_code = '1'`.execute(
    db,
  )
  await sql`update value_count set products = 5 where store_uuid = ${store}::uuid and value = 'c2'`.execute(db)
  await sql`insert into product_value values (${store}::uuid, '4', 'new', '{}')`.execute(db)
  const found = (await checkReadModel(db)).filter(({ storeUuid }) => storeUuid === store)
  expect(found.map(({ what, parentCode, kept, actual }) => [what, parentCode, kept, actual]).sort()).toEqual([
    ['value count', null, null, 'Color x 1'],
    ['value count', null, 'Color c1 1', null],
    ['value count', null, 'Color c2 5', 'Color c2 1'],
    ['value', '1', null, 'Color x'],
    ['value', '1', 'Color c1', null],
    ['value', '1', 'new Color x', 'new Color c1'],
    ['value', '4', null, 'new'],
    ['value', '4', 'new', null],
  ])
  await sql`delete from product_value where store_uuid = ${store}::uuid`.execute(db)
  await sql`delete from value_count where store_uuid = ${store}::uuid`.execute(db)
  await sql`delete from attribute_definition where store_uuid = ${store}::uuid`.execute(db)
})

it('number_key orders texts as numbers, gives equal numbers the same key, and other texts none', async () => {
  const numbers = [
    ...['-1000', '-12.5', '-12.05', '-1', '-0.5', '-0.05', '0', '0.005', '0.05', '0.5', '1', '1.5', '9', '10', '99.95'],
    '9'.repeat(1_000),
  ]
  const equal = { '00': '0', '-0': '0', '0.0': '0', '007.50': '7.5' }
  const others = ['', '-', '.5', '5.', '+1', '1,5', ' 1', '1e2', '9'.repeat(1_001)]
  const keysOf = async (values: string[]) => {
    const { rows } = await sql<{ keys: (string | null)[] }>`
      select array(select number_key(v) from unnest(${values}::text[]) with ordinality u(v, n) order by n) as keys`.execute(
      gateway.database.db,
    )
    return rows[0]?.keys
  }
  const keys = (await keysOf(numbers)) ?? []
  expect(new Set(keys).size).toBe(numbers.length)
  expect(keys.toSorted()).toEqual(keys)
  expect(await keysOf(Object.keys(equal))).toEqual(await keysOf(Object.values(equal)))
  expect(await keysOf(others)).toEqual(others.map(() => null))
})
