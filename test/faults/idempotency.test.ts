import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { deleteOldAnswers } from '../../src/idempotency/once.ts'
import type { Reply } from '../support/clients/http.ts'
import { callRest, outcomeOf } from '../support/clients/rest-client.ts'
import {
  countStores,
  newStore,
  productOf,
  storeBody,
  storeWithAssets,
  storeWithProducts,
} from '../support/factories.ts'
import { startTestGateway, useGateway } from '../support/servers/gateway.ts'
import { figure, isLong } from './support/scale.ts'

const keys = isLong ? 100 : 6

const gateway = useGateway()

interface Keyed {
  key?: string
  method?: string
  body?: unknown
  headers?: Record<string, string>
}

function send(path: string, { key = 'k', method = 'POST', body, headers = {} }: Keyed): Promise<Reply> {
  // Bytes: Node would send the head in the encoding of a body that is text.
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return gateway.call(path, { method, body: bytes, headers: { 'idempotency-key': key, ...headers } })
}

function withoutId({ status, text }: Reply) {
  return { status, text: text.replace(/"request_id":"[^"]*"/, '') }
}

/** The same answer, but for the id of the request. */
async function expectSame(reply: Promise<Reply>, first: Reply): Promise<void> {
  expect(withoutId(await reply)).toEqual(withoutId(first))
}

describe('Idempotency-Key', () => {
  it(`does the work of 100 requests at once with one key once, for ${keys} keys`, async () => {
    for (let i = 0; i < keys; i++) {
      const key = randomUUID()
      const body = storeBody()
      const replies = await Promise.all(Array.from({ length: 100 }, () => send('/v1/stores', { key, body })))
      expect(new Set(replies.map((reply) => JSON.stringify(withoutId(reply)))).size).toBe(1)
      expect(replies[0]?.status).toBe(200)
      expect(new Set(replies.map(({ headers }) => headers['x-request-id'])).size).toBe(100)
      expect(await countStores(gateway, body.store_name)).toBe(1)
    }
    figure(5, `${keys} keys, 100 requests at once each: one store a key, answers equal but for request_id`)
  })

  it('does the work once when two gateways receive the same key at the same time', async () => {
    await using other = await startTestGateway({ database: gateway.database })
    for (let i = 0; i < keys; i++) {
      const body = storeBody()
      const headers = { 'idempotency-key': `both-${i}` }
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, at) => callRest(at % 2 ? other : gateway, 'POST /stores', body, { headers })),
      )
      const uuids = new Set(replies.map(({ data }) => data.store_uuid))
      expect([uuids.size, await countStores(gateway, body.store_name)]).toEqual([1, 1])
    }
  })

  it('applies to every write', async () => {
    const products = await storeWithProducts(gateway, ['A'])
    const assets = await storeWithAssets(gateway, ['1 A', '2 A'])
    const placed = [{ parent_code: 'Z', assets: { 'Image URL 1': 'https://cdn.example/z.jpg' } }]
    const writes: [path: string, request: Keyed][] = [
      [`/v1/products?store_uuid=${products}`, { method: 'PUT', body: [{ product_code: 'A', Color: 'Blue' }] }],
      [`/v1/products?store_uuid=${products}`, { body: [{ product_code: 'B' }] }],
      ['/v1/stores', { body: storeBody() }],
      [`/v1/assets?store_uuid=${assets}`, { body: placed }],
      ['/v1/assets/unlink', { body: [{ store_uuid: assets, parent_code: 'A', channel: 'SMP', asset_id: '1' }] }],
      ['/v1/assets', { method: 'DELETE', body: [{ store_uuid: assets, asset_id: ['2'] }] }],
    ]
    for (const [path, request] of writes) {
      const first = await send(path, request)
      expect(outcomeOf(first).reason).toBeUndefined()
      await expectSame(send(path, request), first)
    }
    // Done again, the last two would have found nothing left.
    for (const [path, request] of writes.slice(-2)) {
      expect(outcomeOf(await send(path, { ...request, key: 'another' })).data).toMatchObject({ failed: 1 })
    }
  })

  it('answers with what was written then, also after later changes', async () => {
    const store = await storeWithProducts(gateway, ['A'])
    const path = `/v1/products?store_uuid=${store}`
    const put = (value: string, key: string) =>
      send(path, { method: 'PUT', key, body: [{ product_code: 'A', Color: value }] })
    await put('Blue', 'blue')
    await put('Red', 'red')
    expect((await put('Blue', 'blue')).status).toBe(200)
    expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({ Color: 'Red' })
  })

  it('refuses another body, byte for byte', async () => {
    const body = storeBody()
    await send('/v1/stores', { key: 'body', body })
    const replies = await Promise.all([
      send('/v1/stores', { key: 'body', body: storeBody() }),
      send('/v1/stores', { key: 'body', body: `${JSON.stringify(body)} ` }),
    ])
    for (const reply of replies) expect(outcomeOf(reply).reason).toBe('idempotency_conflict')
    const uuid = randomUUID()
    const bodies = [storeBody(), storeBody()]
    const both = await Promise.all(bodies.map((other) => send('/v1/stores', { key: uuid, body: other })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('is separate for each token, method, path and query', async () => {
    const store = await newStore(gateway)
    const other = await newStore(gateway)
    const body = [{ product_code: 'A' }]
    const post = async (query: string, method = 'POST') =>
      outcomeOf(await send(`/v1/products?store_uuid=${query}`, { key: 's', method, body })).data
    expect(await post(store)).toMatchObject({ created_skus: ['A'] })
    expect(await post(other)).toMatchObject({ created_skus: ['A'] })
    expect(await post(other, 'PUT')).toMatchObject({ updated_skus: ['A'] })
    expect(await post(`${other}&channel=SMP`)).toMatchObject({ existing_skus: ['A'] })
    const listing = await gateway.call(`/v1/products?store_uuid=${other}`, { headers: { 'idempotency-key': 's' } })
    expect(listing.status).toBe(200)
  })

  it('keeps no failure: the same key does the work once it can be done', async () => {
    const path = `/v1/products?store_uuid=${randomUUID()}`
    const request = { key: 'fails', method: 'PUT', body: [{ product_code: 'A' }] }
    for (let i = 0; i < 2; i++) expect(outcomeOf(await send(path, request)).reason).toBe('store_not_found')
    const linked = randomUUID()
    const body = storeBody()
    const create = () => send(`/v1/stores?linked_store_id=${linked}`, { key: 'linked', body })
    expect((await create()).status).toBe(404)
    await sql`insert into store values (${linked}, ${linked}, 'made by hand', 'catalog', '{}', '{}', '{}')`.execute(
      gateway.database.db,
    )
    expect((await create()).status).toBe(200)
    await expectSame(create(), await create())
    expect(await countStores(gateway, body.store_name)).toBe(1)
  })

  it('must have 1 to 255 characters', async () => {
    const body = storeBody()
    for (const key of ['', 'x'.repeat(256), Buffer.from('ä'.repeat(256)).toString('latin1')]) {
      const outcome = outcomeOf(await send('/v1/stores', { key, body }))
      expect(outcome).toMatchObject({ reason: 'invalid_request', entries: [{ field: 'Idempotency-Key' }] })
    }
    const { entries } = outcomeOf(await send('/v1/stores', { key: '', body: {} }))
    expect(entries?.map(({ field }) => field)).toContain('store_name')
    for (const key of ['x'.repeat(255), Buffer.from('ä'.repeat(255)).toString('latin1'), ' !"#~']) {
      expect(outcomeOf(await send('/v1/stores', { key, body })).entries).toBeUndefined()
    }
  })

  it('is forgotten after 24 hours, and deleted', async () => {
    const body = storeBody()
    const { db } = gateway.database
    const send24 = () => send('/v1/stores', { key: 'old', body })
    const age = (interval: string) =>
      sql`update idempotency_key set created_at = created_at - ${interval}::interval`.execute(db)
    const first = await send24()
    await age('23 hours 59 minutes')
    await expectSame(send24(), first)
    await age('2 minutes')
    expect(withoutId(await send24())).not.toEqual(withoutId(first))
    expect(await countStores(gateway, body.store_name)).toBe(2)
    const count = async () => (await db.selectFrom('idempotency_key').select('scope').execute()).length
    const before = await count()
    expect(await deleteOldAnswers(db)).toBe(before - 1)
    expect(await count()).toBe(1)
  })
})
