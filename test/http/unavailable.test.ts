import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Call } from '../support/clients/http.ts'
import { outcomeOf } from '../support/clients/rest-client.ts'
import { newStore, productOf, storeBody } from '../support/factories.ts'
import { keptLog } from '../support/log.ts'
import { needsPrimary } from '../support/needs-primary.ts'
import { type FaultProxy, startPostgresProxy } from '../support/servers/fault-proxy.ts'
import { startTestGateway, type TestGateway } from '../support/servers/gateway.ts'

let proxy: FaultProxy
let gateway: TestGateway
let storeUuid: string
const { lines: logged, log } = keptLog()

/** Shorter than in service, so that a hung network is noticed within the time of the test. */
const deadlines = { connectionTimeoutMillis: 3_000, query_timeout: 1_000 }

beforeEach(async () => {
  logged.length = 0
  proxy = await startPostgresProxy()
  gateway = await startTestGateway({ log, connection: { ...proxy.connection, ...deadlines } })
  storeUuid = await newStore(gateway)
})
afterEach(async () => {
  await proxy.set({ kind: 'none' })
  await gateway.stop()
  await proxy.close()
})

const listing = () => `/v1/assets?store_uuid=${storeUuid}`

async function reasonOf(path: string, call?: Call) {
  const reply = await gateway.call(path, call)
  return { status: reply.status, reason: outcomeOf(reply).reason, retryAfter: reply.headers['retry-after'] }
}

/** pino's number for `error`. */
const errorLevel = 50

/** What was logged as a fault of the gateway. (What it does in the background may warn at any moment.) */
function unexpected() {
  return logged.filter(({ level }) => level >= errorLevel)
}

/** Which requests asked the database in vain. */
function unreached() {
  return logged.filter(({ msg }) => msg === 'the database cannot be reached')
}

describe('when connections are cut', () => {
  it('idle ones are replaced, and the caller does not notice', async () => {
    for (let i = 0; i < 5; i++) {
      await Promise.all(Array.from({ length: 10 }, () => gateway.call(listing())))
      proxy.cut()
      await expect.poll(() => gateway.database.pool()?.total).toBe(0)
      expect((await gateway.call(listing())).status).toBe(200)
    }
    expect([...unexpected(), ...unreached()]).toEqual([])
  })

  it('by PostgreSQL itself, the next request does not notice', async () => {
    await Promise.all(Array.from({ length: 10 }, () => gateway.call(listing())))
    await using admin = await gateway.database.client()
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await expect.poll(() => gateway.database.pool()?.total).toBe(0)
    expect((await gateway.call(listing())).status).toBe(200)
    expect([...unexpected(), ...unreached()]).toEqual([])
  })

  it('in the middle of a write, the write is unavailable and leaves no part of it', async () => {
    const path = `/v1/products?store_uuid=${storeUuid}`
    const call = { method: 'POST', body: [{ product_code: 'A' }] }
    await using admin = await gateway.database.client()
    await admin.query('begin; lock table product in exclusive mode')
    const answer = reasonOf(path, call)
    await expect.poll(gateway.database.lockWaiters, { interval: 10 }).toBe(1)
    proxy.cut()
    expect(await answer).toEqual({ status: 503, reason: 'unavailable', retryAfter: '1' })
    await admin.query('commit')
    await sleep(100)
    expect((await admin.query('select 1 from product')).rowCount).toBe(0)
    expect((await gateway.call(path, call)).status).toBe(200)
    expect(unexpected()).toEqual([])
  })

  it('by PostgreSQL in the last statement of a write, those before it leave no trace', async () => {
    await using admin = await gateway.database.client()
    await admin.query('begin; lock table asset in access exclusive mode')
    const body = [{ product_code: 'half', 'Image URL 1': 'https://example.com/1.jpg' }]
    const answer = gateway.call(`/v1/products?store_uuid=${storeUuid}`, { method: 'POST', body })
    // The products are inserted, in the transaction; the assets wait for the lock.
    await expect.poll(gateway.database.lockWaiters).toBe(1)
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    expect((await answer).status).toBe(503)
    await admin.query('commit')
    expect(await productOf(gateway, storeUuid, 'half')).toBeNull()
  })
})

describe('while the network hangs', () => {
  beforeEach(async () => {
    await Promise.all(Array.from({ length: 10 }, () => gateway.call(listing())))
    // As long as an answer may take: the connections were idle, which must not use their deadline up.
    await sleep(deadlines.query_timeout + 200)
    await proxy.set({ kind: 'hang' })
  })

  it('requests are given up when their time is over', async (test) => {
    needsPrimary(test, 'a replica answers while its network hangs')
    const started = Date.now()
    const [write, read, ready] = await Promise.all([
      reasonOf('/v1/stores', { method: 'POST', body: storeBody() }),
      reasonOf(listing()),
      gateway.call('/ready'),
    ])
    expect(write).toEqual({ status: 503, reason: 'unavailable', retryAfter: '1' })
    expect(read).toMatchObject({ status: 502, reason: 'downstream_unavailable' })
    expect(ready.status).toBe(503)
    expect(Date.now() - started).toBeLessThan(20_000)
    expect((await gateway.call('/health')).status).toBe(200)
    expect(unexpected()).toEqual([])
  })

  it('no connection that hangs is used again once new ones get through', async () => {
    await Promise.all(Array.from({ length: 12 }, () => gateway.call(listing())))
    await proxy.set({ kind: 'none' })
    const statuses = []
    for (let i = 0; i < 12; i++) statuses.push((await gateway.call(listing())).status)
    expect(statuses).toEqual(Array.from({ length: 12 }, () => 200))
  })
})
