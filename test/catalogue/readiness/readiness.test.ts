import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { caughtUp } from '../../support/caught-up.ts'
import { ask } from '../../support/clients/operations.ts'
import { addAssets, addProducts, newStore, query, storeWithProducts } from '../../support/factories.ts'
import { useGateway } from '../../support/servers/gateway.ts'
import { type Given, productReadiness, setRequirements, settled, storeReadiness } from './support.ts'

const gateway = useGateway()

const title: Given = { code: 'title', kind: 'ATTRIBUTE', attribute: 'Title', minimum: 5 }
const picture: Given = { code: 'picture', kind: 'ASSET', minimum: 2 }
const gtin: Given = {
  code: 'gtin',
  kind: 'ATTRIBUTE',
  attribute: 'GTIN',
  pattern: '\\d{8}|\\d{13}',
  severity: 'RECOMMENDED',
}
const size: Given = { code: 'size', kind: 'ATTRIBUTE', attribute: 'Size', whenAttribute: 'Type', whenValues: ['shoe'] }
const active: Given = { code: 'active', kind: 'STATUS' }

const codesOf = async (store: string, filter: object) => {
  const document = `query ($store: ID!, $filter: ProductFilter!) { result: store(storeUuid: $store) {
    products(filter: $filter) { totalCount nodes { productCode } } } }`
  const { result } = await query<{ products: { totalCount: number; nodes: { productCode: string }[] } }>(
    gateway,
    document,
    { store, filter },
  )
  expect(result.products.totalCount).toBe(result.products.nodes.length)
  return result.products.nodes.map(({ productCode }) => productCode)
}

it('says of each product what it lacks on each channel, and why', async () => {
  const store = await storeWithProducts(gateway, [
    { productCode: 'A', attributes: { Title: 'abc', GTIN: '12', Type: 'shoe' } },
    { productCode: 'B', status: 'active', attributes: { Title: 'a title', GTIN: '12345678', Type: 'hat' } },
    { productCode: 'C', attributes: { Title: ' \n' } },
  ])
  await addAssets(gateway, store, ['a1 A', 'b1 B', 'b2 B'])
  await setRequirements(gateway, store, 'SMP', [title, picture, gtin, size, active])
  await setRequirements(gateway, store, 'channel_value_1', [gtin])
  const reasons = {
    title: 'Title must have at least 5 characters; it has 3',
    picture: 'must have at least 2 assets of the format image; has 1',
    gtin: 'GTIN must match the pattern \\d{8}|\\d{13}; got "12"',
    size: 'Size is missing',
    active: 'the status must match active; it is new',
  }
  expect(await productReadiness(gateway, store)).toEqual({
    A: [
      { channel: 'SMP', ready: false, missing: Object.entries(reasons).map(([code, reason]) => ({ code, reason })) },
      { channel: 'channel_value_1', ready: true, missing: [{ code: 'gtin', reason: reasons.gtin }] },
    ],
    B: [
      { channel: 'SMP', ready: true, missing: [] },
      { channel: 'channel_value_1', ready: true, missing: [] },
    ],
    C: [
      {
        channel: 'SMP',
        ready: false,
        missing: [
          { code: 'title', reason: 'Title is missing' },
          { code: 'picture', reason: 'must have at least 2 assets of the format image; has 0' },
          { code: 'gtin', reason: 'GTIN is missing' },
          { code: 'active', reason: reasons.active },
        ],
      },
      { channel: 'channel_value_1', ready: true, missing: [{ code: 'gtin', reason: 'GTIN is missing' }] },
    ],
  })
})

it('counts the products of a store, and follows each change of them', async () => {
  const store = await storeWithProducts(gateway, ['A', 'B', { productCode: 'C', attributes: { Title: 'a title' } }])
  expect(await storeReadiness(gateway, store, 'SMP')).toBeNull()
  await setRequirements(gateway, store, 'SMP', [title, gtin])
  expect(await settled(gateway, store, 'SMP')).toMatchObject({
    total: 3,
    ready: 1,
    requirements: [
      { code: 'title', severity: 'REQUIRED', missing: 2 },
      { code: 'gtin', severity: 'RECOMMENDED', missing: 3 },
    ],
    gaps: { totalCount: 2, nodes: [{ productCode: 'A' }, { productCode: 'B' }] },
  })
  expect(await codesOf(store, { blockedOn: 'SMP' })).toEqual(['A', 'B'])
  expect(await codesOf(store, { readyOn: 'SMP' })).toEqual(['C'])
  expect(await codesOf(store, { not: { blockedOn: 'SMP' }, status: ['NEW'] })).toEqual(['C'])
  expect(await codesOf(store, { readyOn: 'channel_value_1' })).toEqual([])
  await addProducts(gateway, store, [{ productCode: 'A', attributes: { Title: 'another title' } }, 'D'])
  expect(await settled(gateway, store, 'SMP')).toMatchObject({ total: 4, ready: 2, percent: 50 })
  const removed =
    'mutation ($store: ID!) { deleteProducts(storeUuid: $store, productCodes: ["B", "C"]) { deletedSkus } }'
  await gateway.data(removed, { store })
  const after = await settled(gateway, store, 'SMP')
  expect(after).toMatchObject({ total: 2, ready: 1, gaps: { totalCount: 1, nodes: [{ productCode: 'D' }] } })
  expect(after.history.at(-1)).toMatchObject({ total: 2, ready: 1, percent: 50 })

  await setRequirements(gateway, store, 'SMP', [picture])
  expect(await settled(gateway, store, 'SMP')).toMatchObject({ total: 2, ready: 0 })
  await addAssets(gateway, store, ['d1 D', 'd2 D', 'x X'])
  expect(await settled(gateway, store, 'SMP')).toMatchObject({ total: 2, ready: 1 })
  await setRequirements(gateway, store, 'SMP', [])
  expect(await storeReadiness(gateway, store, 'SMP')).toBeNull()
  const left = async () => {
    const gaps = sql`select product_code from product_gap where store_uuid = ${store}`
    return (await gaps.execute(gateway.database.db)).rows
  }
  await expect.poll(left).toEqual([])
})

it('says how far a store is', async () => {
  const store = await storeWithProducts(gateway, ['A', 'B'])
  const projections = async () => {
    const selection = '{ projections { name asOf isBuilding done of } }'
    return (await ask<{ projections: { asOf: string }[] }>(gateway, 'store', { storeUuid: store }, selection))
      .projections
  }
  expect(await projections()).toEqual([])
  await setRequirements(gateway, store, 'SMP', [title])
  await caughtUp(gateway.database, store)
  const begun = Date.now()
  const found = await projections()
  expect(found).toEqual([{ name: 'READINESS', asOf: expect.any(String), isBuilding: false, done: 2, of: 2 }])
  expect(Date.parse(found[0]?.asOf ?? '')).toBeGreaterThanOrEqual(begun - 1)
})

it('includes earlier writes where the request asks for the latest', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  await setRequirements(gateway, store, 'SMP', [title])
  await settled(gateway, store, 'SMP')
  const document = 'query ($store: ID!) { store(storeUuid: $store) { readiness(channel: "SMP") { total ready } } }'
  const read = async (after: string) => {
    const body = { query: document, variables: { store } }
    const { json } = await gateway.call('/graphql', { method: 'POST', headers: { 'X-Catalogue-After': after }, body })
    return json
  }
  for (let products = 2; products < 12; products++) {
    await addProducts(gateway, store, [{ productCode: `B${products}`, attributes: { Title: 'a title' } }])
    const readiness = { total: products, ready: products - 1 }
    expect(await read('latest')).toMatchObject({ data: { store: { readiness } } })
  }
  expect(await read('newest')).toMatchObject({ errors: [{ message: expect.stringContaining('must be latest, or') }] })
})

it('follows changes during a transaction elsewhere that is open', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  await setRequirements(gateway, store, 'SMP', [title])
  await using slow = await gateway.database.client()
  await slow.query('begin')
  await slow.query('select pg_current_xact_id()')
  await addProducts(gateway, store, ['B', { productCode: 'C', attributes: { Title: 'a title' } }])
  expect(await settled(gateway, store, 'SMP')).toMatchObject({ total: 3, ready: 1 })
  await slow.query('commit')
})

it('refuses requirements that cannot hold, with each fault', async () => {
  const store = await newStore(gateway)
  const bad: Given[] = [
    { code: '', kind: 'ATTRIBUTE' },
    { code: 'x', kind: 'ASSET', attribute: 'Title', assetFormat: 'gif', minimum: 0, pattern: 'a' },
    { code: 'x', kind: 'STATUS', minimum: 1, whenValues: ['a'] },
    { code: 'y', kind: 'ATTRIBUTE', attribute: 'status', pattern: '(', whenAttribute: 'assets', whenValues: [] },
  ]
  const { errors } = await setRequirements(gateway, store, 'nowhere', bad)
  expect(errors?.[0]?.extensions.errorInfo?.map(({ field }) => field)).toEqual([
    'channel',
    'requirements[0].code',
    'requirements[0].attribute',
    'requirements[1].attribute',
    'requirements[1].assetFormat',
    'requirements[1].minimum',
    'requirements[1].pattern',
    'requirements[2].code',
    'requirements[2].minimum',
    'requirements[2].whenValues',
    'requirements[3].attribute',
    'requirements[3].pattern',
    'requirements[3].whenAttribute',
    'requirements[3].whenValues',
  ])
  const many = Array.from({ length: 63 }, (_, i): Given => ({ ...title, code: `c${i}` }))
  expect((await setRequirements(gateway, store, 'SMP', many)).errors?.[0]?.message).toBe(
    'requirements must have at most 62 items; got 63',
  )
  const heavy = Array.from({ length: 3 }, (_, i): Given => ({ ...title, code: `c${i}`, pattern: 'a{400}' }))
  expect((await setRequirements(gateway, store, 'SMP', heavy)).errors?.[0]?.message).toMatch(
    /at most 1000 steps together/,
  )
  expect(await storeReadiness(gateway, store, 'SMP')).toBeNull()
})
