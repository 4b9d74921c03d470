import pg from 'pg'
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest'
import { productOf, storeWithProducts } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'
import { send } from './clients.ts'
import { type DoorToPostgres, openDoorToPostgres } from './door-to-postgres.ts'

let gateway: TestGateway
/** PostgreSQL is told through it, on connections of their own, to cancel something. */
let door: DoorToPostgres
beforeEach(async () => {
  door = await openDoorToPostgres()
  gateway = await startTestGateway({ connection: door.connection })
})
afterEach(async () => {
  await gateway.stop()
  door.close()
})

it('a client that has gone gets nothing more done, even if PostgreSQL does not hear of it; when it does, what waits ends', {
  timeout: 60_000,
}, async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const connection = { ...inject('postgres'), database: new URL(gateway.database.url).pathname.slice(1) }
  const [admin, watcher] = [new pg.Client(connection), new pg.Client(connection)]
  await Promise.all([admin, watcher].map((client) => client.on('error', () => {}).connect()))
  const waiting = async () => {
    const { rows } = await watcher.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length
  }
  const post = async () => {
    await admin.query('begin; lock table attribute_definition in access exclusive mode')
    const leaving = new AbortController()
    const left = send(`${gateway.url}/v1/products?store_uuid=${store}`, {
      ...{ method: 'POST', token, body: [{ product_code: 'B', Color: 'Red' }], signal: leaving.signal },
    }).catch(() => 'left')
    await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 20_000 })
    door.isOpen = false
    leaving.abort()
    expect(await left).toBe('left')
  }

  await post()
  await new Promise((resolve) => setTimeout(resolve, 100))
  await admin.query('commit')
  await vi.waitFor(
    () => {
      const { total, idle } = gateway.database.pool() ?? {}
      expect(idle).toBe(total)
    },
    { timeout: 20_000 },
  )
  door.isOpen = true
  expect(await productOf(gateway, store, 'B')).toBeNull()

  await post()
  await new Promise((resolve) => setTimeout(resolve, 100))
  door.isOpen = true
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 5_000 })
  await admin.query('commit')
  await Promise.all([admin.end(), watcher.end()])
})
