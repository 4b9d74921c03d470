import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { fallbackEnumerations } from '../../src/catalog/enumerations.ts'
import { createRemoteFilter } from '../../src/filter/remote-filter.ts'
import { createHeavyThread } from '../../src/heavy/heavy-thread.ts'
import { send } from '../reliability/clients.ts'
import { newStore, productOf, storeWithProducts } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'

const silent = pino({ level: 'silent' })
const upTo = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))

let gateway: TestGateway
let store: string
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  store = await storeWithProducts(gateway, ['A', 'B'])
  gateway.database.statements()
})

const products = () => `/v1/products?store_uuid=${store}`
/** Two of them are no light body, however few they are. */
const long = 'x'.repeat(65_535)

describe('a request with a large body', () => {
  it('is answered without a statement of the thread that serves all', async () => {
    const body = [
      { product_code: 'A', One: long, Two: long },
      { product_code: 'C', One: 'x' },
      { product_code: 'B', One: 7 },
    ]
    const { status, json } = await gateway.call(products(), { method: 'PUT', body })
    expect(gateway.database.statements()).toBe(0)
    expect({ status, json }).toMatchObject({
      status: 200,
      json: {
        data: { updated_skus: ['A'], unavailable_skus: ['C'], failed_products: { B: { One: expect.any(String) } } },
      },
    })
    expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({ One: long, Two: long })
  })

  it('is answered there only if there is much in it, when it is not much longer than a light one', async () => {
    const body = (items: number, text: string) =>
      Array.from({ length: items }, (_, i) => ({ product_code: `none ${i}`, Text: text }))
    await gateway.call(products(), { method: 'PUT', body: body(1_000, 'x'.repeat(70)) })
    expect(gateway.database.statements()).toBeGreaterThan(0)
    await gateway.call(products(), { method: 'PUT', body: body(3_000, '') })
    expect(gateway.database.statements()).toBe(0)
  })

  it('is refused in the envelope, with its request id', async () => {
    const headers = { 'x-request-id': 'the id of a large request' }
    const body = `[{"product_code":"A","One":"${long}","Two":"${long}"`
    const { status, json } = await gateway.call(products(), { method: 'PUT', body, headers })
    expect({ status, json }).toMatchObject({
      status: 400,
      json: {
        status: { code: -1, request_id: 'the id of a large request' },
        data: { error_info: [{ field: 'body' }] },
      },
    })
    expect(gateway.database.statements()).toBe(0)
  })

  it('is done once when it comes twice with a key', async () => {
    const call = {
      method: 'POST',
      body: [{ product_code: 'new', One: long, Two: long }],
      headers: { 'idempotency-key': 'large' },
    }
    const answers = await Promise.all([gateway.call(products(), call), gateway.call(products(), call)])
    expect(answers.map(({ json }) => json)).toMatchObject(upTo(2, () => ({ data: { created_skus: ['new'] } })))
  })

  it('is run as GraphQL too, with its jobs', async () => {
    const { startImport } = await gateway.data(
      'mutation ($store: ID!, $content: String!) { startImport(storeUuid: $store, input: { content: $content }) { jobId } }',
      { store, content: `sku,One,Two\nimported,${long},${long}\n` },
    )
    const job = `{ job(id: "${(startImport as unknown as { jobId: string }).jobId}") { state } }`
    await vi.waitFor(async () => expect(await gateway.data(job)).toEqual({ job: { state: 'SUCCEEDED' } }), {
      timeout: 20_000,
    })
    expect(await productOf(gateway, store, 'imported')).toBeDefined()
  })

  it('is forgotten when its client goes, down to the statement', async () => {
    const connection = { ...inject('postgres'), database: new URL(gateway.database.url).pathname.slice(1) }
    const [admin, watcher] = [new pg.Client(connection), new pg.Client(connection)]
    await Promise.all([admin.connect(), watcher.connect()])
    const waiting = async () => {
      const { rows } = await watcher.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length
    }
    await admin.query('begin; lock table product in access exclusive mode')
    const leaving = new AbortController()
    const body = [{ product_code: 'A', One: long, Two: long }]
    const left = send(`${gateway.url}${products()}`, { method: 'PUT', token, body, signal: leaving.signal }).catch(
      () => 'left',
    )
    await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 20_000 })
    leaving.abort()
    expect(await left).toBe('left')
    await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 5_000 })
    await admin.query('commit')
    await Promise.all([admin.end(), watcher.end()])
    expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({})
  })
})

describe('a costly operation', () => {
  const costly = `{ stores(first: 100) { edges { node { storeName products(first: 100) { edges { node { productCode } } } } } } }`

  it('is run without a statement of the thread that serves all', async () => {
    const { stores } = await gateway.data(costly)
    expect(stores).toMatchObject({ edges: expect.any(Array) })
    expect(gateway.database.statements()).toBe(0)
  })

  it('is run there too when it comes by GET', async () => {
    const { status, json } = await gateway.call(`/graphql?query=${encodeURIComponent(costly)}`)
    expect({ status, json }).toMatchObject({ status: 200, json: { data: { stores: { edges: expect.any(Array) } } } })
    expect(gateway.database.statements()).toBe(0)
  })
})

describe('the remote filter of a request on the other thread', () => {
  const ends: (() => Promise<unknown> | unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })

  it('is asked by the one circuit, with the id of the request; without an answer the listing is unavailable', async () => {
    const heard: unknown[] = []
    const service = createServer((request, response) => {
      heard.push(request.headers['x-request-id'])
      request.resume()
      if (heard.length > 1) response.writeHead(400).end()
      else response.setHeader('content-type', 'application/json').end('{"total_groups":0,"parent_codes":[]}')
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    ends.push(() => service.close())
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const remoteFilter = createRemoteFilter({ url, timeoutMs: 2_000, log: silent })
    const filtered = await startTestGateway({ remoteFilter, more: { light: { bytes: 0, cost: 0, read: 0 } } })
    ends.push(filtered.stop, remoteFilter.close)
    const listed = { query: `{ assetGroups(storeUuid: "${await newStore(filtered)}") { totalGroups } }` }
    const ask = (id: string) =>
      filtered.call('/graphql', { method: 'POST', body: listed, headers: { 'x-request-id': id } })
    expect((await ask('first')).json).toMatchObject({ data: { assetGroups: { totalGroups: 0 } } })
    expect((await ask('second')).json).toMatchObject({ errors: [{ extensions: { code: 'downstream_unavailable' } }] })
    expect(heard).toEqual(['first', 'second'])
  })
})

it('a thread that has no memory left fails its request, and nothing else', async () => {
  const { connection } = gateway.database
  const options = { connection, introspection: 'all', persistedDocuments: undefined, filter: undefined } as const
  const thread = createHeavyThread({ ...options, jobQueued: () => {}, log: silent, heapMb: 8 })
  const request = {
    ...({ door: 'graphql', method: 'GET', path: '/graphql', search: 'query={__typename}', body: undefined } as const),
    caller: { tokenId: '', tokenName: '', scopes: new Set(['read'] as const), viewer: { stores: undefined } },
    headers: { accept: '*/*' },
    enumerations: fallbackEnumerations,
  }
  await expect(thread.answer(request)).rejects.toMatchObject({ code: 'unavailable' })
  await expect(thread.answer(request)).rejects.toMatchObject({ code: 'unavailable' })
  await thread.close()
})
