import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ConnectionConfig } from '../../src/database/connection/session.ts'
import { type Reply, send } from '../support/clients/http.ts'
import { productOf, storeWithProducts } from '../support/factories.ts'
import { keptLog, type LogLine } from '../support/log.ts'
import { startTestGateway, type TestGateway, token } from '../support/servers/gateway.ts'
import { newToken } from '../support/tokens.ts'
import { type ClientProcess, startClientProcess } from './support/client-process.ts'
import { quantile } from './support/quantile.ts'
import { figure, isLong } from './support/scale.ts'

const clients = isLong ? 500 : 150
/** What an answer may take that needs no database: the short form shares its machine with other tests. */
const swiftMs = isLong ? 50 : 20_000

let gateway: TestGateway
/** What the gateway warns of. */
let lines: LogLine[]
let clientProcess: ClientProcess
let admin: pg.Client
let store: string
beforeAll(async () => {
  clientProcess = await startClientProcess()
})
afterAll(() => clientProcess.end())
async function open(connection: ConnectionConfig = {}): Promise<void> {
  const kept = keptLog()
  lines = kept.lines
  gateway = await startTestGateway({ log: kept.log, connection })
  store = await storeWithProducts(gateway, ['A', 'B'])
  admin = await gateway.database.client()
}
async function close(): Promise<void> {
  await admin.end()
  await gateway.stop()
}
beforeEach(() => open())
afterEach(close)

/** Holds the table of products until the function that it returns is called: whoever writes or reads one waits. */
async function lockProducts(): Promise<() => Promise<unknown>> {
  await admin.query('begin')
  await admin.query('lock table product in access exclusive mode')
  return () => admin.query('commit')
}

const read = (signal?: AbortSignal, as = token) =>
  send(`${gateway.url}/v1/products?store_uuid=${store}`, { token: as, ...(signal && { signal }) })
const put = (color: string, as = token) =>
  send(`${gateway.url}/v1/products?store_uuid=${store}`, {
    method: 'PUT',
    token: as,
    body: [{ product_code: 'A', Color: color }],
  })

async function counted(operation: string, status: number): Promise<number> {
  const { text } = await send(`${gateway.url}/metrics`, { token })
  const series = `catalogue_request_duration_seconds_count{api="rest",operation="${operation}",status="${status}"} `
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(series))
      ?.slice(series.length) ?? 0,
  )
}

const waiting = () => gateway.database.pool()?.waiting
const busy = () => (gateway.database.pool()?.total ?? 0) - (gateway.database.pool()?.idle ?? 0)

describe('a pool of connections that all wait for a lock', () => {
  it(`${clients} clients: 503 with Retry-After at 2 s, what needs no database at once, and all is well after`, async () => {
    // One token gets half of the connections.
    const { secret } = await newToken(gateway, { scopes: ['READ'] })
    const release = await lockProducts()
    const url = `${gateway.url}/v1/products?store_uuid=${store}`
    const halves = [token, secret].map((as) =>
      clientProcess.run('sendMany', { url, sent: { token: as }, count: clients / 2 }),
    )
    // On a busy machine the last may come when the first have been refused.
    await expect.poll(waiting).toBeGreaterThanOrEqual(isLong ? clients - 10 : 1)
    const swift: number[] = []
    for (const [path, given, status] of [
      ['/health', undefined, 200],
      ['/v1/assets', undefined, 401],
      ['/v1/assets', token, 400],
      ['/v1/nowhere', token, 404],
      ['/v1/assets/unlink', token, 405],
    ] as const) {
      const answer = await send(gateway.url + path, given ? { token: given } : {})
      expect([path, answer.status]).toEqual([path, status])
      swift.push(answer.milliseconds)
    }
    const refused = await send(`${gateway.url}/graphql`, { method: 'POST', token, body: { query: '{ nothing }' } })
    expect([refused.status, refused.text]).toEqual([200, expect.stringContaining('Cannot query field')])
    swift.push(refused.milliseconds)
    expect(Math.max(...swift)).toBeLessThan(swiftMs)
    expect((await send(`${gateway.url}/ready`)).status).toBe(503)
    await expect.poll(() => counted('ListProducts', 503)).toBe(clients - 10)
    expect((await read()).text).toContain('too many requests wait; retry later')
    await release()
    const began = performance.now()
    expect((await read()).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(isLong ? 1_000 : swiftMs)

    const all = (await Promise.all(halves)).flat()
    const late = all.filter(({ status }) => status !== 200)
    expect(late).toHaveLength(clients - 10)
    for (const { status, retryAfter } of late) expect([status, retryAfter]).toEqual([503, '1'])
    const times = late.map(({ milliseconds }) => milliseconds)
    figure(
      8,
      `${clients} clients: ${late.length} × 503 at ${Math.round(quantile(times, 0.5))} ms, the last at ${Math.round(quantile(times, 1))} ms; without database ≤ ${Math.max(...swift).toFixed(0)} ms`,
    )
    expect(quantile(times, 0)).toBeGreaterThan(1_900)
    expect(quantile(times, 1)).toBeLessThan(isLong ? 3_000 : 20_000)
    await expect.poll(busy).toBe(0)
    expect(waiting()).toBe(0)
  })

  it('serves callers in a circle: one that asks much does not keep another waiting', async () => {
    // A busy machine may need more than 2 s to take all requests: none is refused meanwhile.
    await close()
    await open({ connectionTimeoutMillis: 20_000 })
    const { secret: other } = await newToken(gateway, { name: 'bootstrap', scopes: ['READ', 'WRITE'] })
    expect((await read(undefined, other)).status).toBe(200)
    const release = await lockProducts()
    const order: string[] = []
    const note = async (name: string, answer: Promise<Reply>) => {
      expect((await answer).status).toBe(200)
      order.push(name)
    }
    const greedy = Array.from({ length: 60 }, (_, i) => note('greedy', put(`${i}`)))
    await expect.poll(waiting).toBe(55)
    const modest = note('modest', put('mine', other))
    await expect.poll(gateway.database.lockWaiters).toBe(6)
    await release()
    await Promise.all([...greedy, modest])
    // It waits for a few rounds itself; in the order of arrival it would be the last of 61.
    expect(order.indexOf('modest')).toBeLessThan(45)
  })
})

describe('a client that has disconnected', () => {
  it('is cancelled down to the statement: its locks and its connection are free at once, nothing is written, nothing is logged', async () => {
    const release = await lockProducts()
    const gone = new AbortController()
    const body = [{ product_code: 'A', Color: 'Red' }]
    const path = `${gateway.url}/v1/products?store_uuid=${store}`
    const asked = Array.from({ length: 15 }, () =>
      send(path, { method: 'PUT', token, body, signal: gone.signal }).catch(() => 'gone'),
    )
    await expect.poll(gateway.database.lockWaiters).toBe(5)
    gone.abort()
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['gone']))
    await expect.poll(gateway.database.lockWaiters, { timeout: swiftMs }).toBe(0)
    await expect.poll(() => counted('UpdateProducts', 499), { timeout: swiftMs }).toBe(15)
    expect(lines).toEqual([])
    await release()
    expect((await put('Blue')).status).toBe(200)
    expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({ Color: 'Blue' })
    expect(gateway.database.pool()?.waiting).toBe(0)
  })

  it('does not cancel others that wait for the same token to be looked up', async () => {
    const { secret } = await newToken(gateway, { scopes: ['READ'] })
    await admin.query('begin')
    await admin.query('lock table token in access exclusive mode')
    const gone = new AbortController()
    const leaving = read(gone.signal, secret).catch(() => 'gone')
    await expect.poll(gateway.database.lockWaiters).toBe(1)
    const staying = read(undefined, secret)
    await sleep(200)
    gone.abort()
    expect(await leaving).toBe('gone')
    await sleep(200)
    await admin.query('commit')
    expect((await staying).status).toBe(200)
  })

  it('does not cancel the statements of others', async () => {
    const release = await lockProducts()
    const gone = new AbortController()
    const leaving = [read(gone.signal), read(gone.signal)].map((answer) => answer.catch(() => 'gone'))
    const staying = [put('Blue'), read()]
    await expect.poll(gateway.database.lockWaiters).toBe(4)
    gone.abort()
    await Promise.all(leaving)
    await sleep(200)
    await release()
    expect((await Promise.all(staying)).map(({ status }) => status)).toEqual([200, 200])
  })
})
