import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicError } from '../../src/graphql/public-error.ts'
import { newStore, storeWithAssets } from '../support/factories.ts'
import { startTestGateway, type TestGateway, useGateway } from '../support/servers/gateway.ts'

const gateway = useGateway({ more: { maxAnswerBytes: 10_000 } })
let store: string
beforeAll(async () => {
  const codeOf = (i: number) => (i < 190 ? 'LONG' : `SHORT-${i}`)
  const assets = Array.from({ length: 200 }, (_, i): [string, string] => [`asset-${i}`, codeOf(i)])
  store = await storeWithAssets(gateway, assets)
})

it('a read whose answer would be too long is refused over both APIs, with advice', async () => {
  const listing = await gateway.call(`/v1/assets?store_uuid=${store}`)
  expect([listing.status, listing.text]).toEqual([400, expect.stringMatching(/10000 bytes.*smaller page/)])
  expect(listing.json).toMatchObject({ status: { code: -1 }, data: { error_info: [{ reason: 'invalid_request' }] } })
  expect((await gateway.call(`/v1/assets?store_uuid=${store}&offset=1`)).status).toBe(200)
  const query = `{ assetGroups(storeUuid: "${store}") { groups { assets { assetId url } } } }`
  const reply = await gateway.post(query)
  expect(reply.status).toBe(400)
  const error = { message: expect.stringMatching(/smaller page/), extensions: { code: 'invalid_request' } }
  expect(reply.json.errors?.[0]).toMatchObject(error)
})

it('the result of a write is reported, however long it is', async () => {
  const selectors = Array.from({ length: 300 }, (_, i) => ({ storeUuid: store, assetId: [`nothing-${i}`] }))
  const query = 'mutation ($s: [AssetSelector!]!) { deleteAssets(selectors: $s) { failed errorInfo { details } } }'
  const reply = await gateway.post(query, { variables: { s: selectors } })
  expect(reply.text.length).toBeGreaterThan(10_000)
  expect(reply.json).toMatchObject({ data: { deleteAssets: { failed: 300 } } })
})

describe('a store of which one page is more than a request may read', () => {
  let ordinary: TestGateway
  let full: string
  afterAll(() => ordinary.stop())
  beforeAll(async () => {
    ordinary = await startTestGateway()
    const { db } = ordinary.database
    full = await newStore(ordinary)
    await sql`insert into asset_group_total (store_uuid, channel, asset_format, shard, groups, version) values (${full}, 'SMP', 'image', 0, 50, 1)`.execute(
      db,
    )
    await sql`insert into asset_group (store_uuid, channel, asset_format, parent_code, entries)
      select ${full}, 'SMP', 'image', 'g' || n, '[["' || n || '","https://' || repeat('x', 2000000) || '"]]'
      from generate_series(1, 50) n`.execute(db)
    await sql`insert into product (store_uuid, product_code, status, attributes)
      select ${full}, 'g' || n, 'new', jsonb_build_object('Text', repeat('x', 2000000)) from generate_series(1, 50) n`.execute(
      db,
    )
  })

  it.each([
    ['/v1/assets', undefined],
    ['/v1/products', undefined],
    ['/graphql', '{ assetGroups(storeUuid: "STORE") { groups { assets { url } } } }'],
    ['/graphql', '{ store(storeUuid: "STORE") { products(first: 50) { edges { node { attributes } } } } }'],
  ])('%s %s is refused before it is taken in, and says what to do', async (path, document) => {
    const body = document && { query: document.replace('STORE', full) }
    const reply = await ordinary.call(body ? path : `${path}?store_uuid=${full}`, body ? { method: 'POST', body } : {})
    expect(reply.text).toMatch(/a request may read.*smaller page/)
    expect(reply.text.length).toBeLessThan(2_000)
    expect(reply.status === 400 || path === '/graphql').toBe(true)
    await expect.poll(async () => (await ordinary.call('/ready')).status, { timeout: 10_000 }).toBe(200)
  })
})

it('what is more than PostgreSQL can hold is the fault of the request', async () => {
  const error = await sql`select repeat('x', 1073741824)`
    .execute(gateway.database.db)
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: '54000' })
  expect(publicError(error, pino({ level: 'silent' })).extensions).toMatchObject({ code: 'invalid_request' })
})
