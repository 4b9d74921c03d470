import { connect, createServer, type Server } from 'node:net'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest'
import { productOf, storeWithProducts } from '../support/factories.ts'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'
import { send } from './clients.ts'

let gateway: TestGateway
let proxy: Server
/** Whether PostgreSQL can be told, on connections of their own, to cancel something. */
let hears: boolean
beforeEach(async () => {
  hears = true
  const { host, port } = inject('postgres')
  proxy = createServer((client) => {
    if (!hears) return void client.destroy()
    const server = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    client.on('error', () => server.destroy()).pipe(server)
    server.on('error', () => client.destroy()).pipe(client)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const here = { host: '127.0.0.1', port: typeof address === 'object' && address ? address.port : 0 }
  gateway = await startTestGateway({ connection: here })
})
afterEach(async () => {
  await gateway.stop()
  proxy.close()
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
  const put = async () => {
    await admin.query('begin; lock table attribute_definition in access exclusive mode')
    const leaving = new AbortController()
    const left = send(`${gateway.url}/v1/products?store_uuid=${store}`, {
      ...{ method: 'PUT', token, body: [{ product_code: 'A', Color: 'Red' }], signal: leaving.signal },
    }).catch(() => 'left')
    await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 20_000 })
    hears = false
    leaving.abort()
    expect(await left).toBe('left')
  }

  await put()
  await new Promise((resolve) => setTimeout(resolve, 100))
  await admin.query('commit')
  await vi.waitFor(
    () => {
      const { total, idle } = gateway.database.pool() ?? {}
      expect(idle).toBe(total)
    },
    { timeout: 20_000 },
  )
  hears = true
  expect((await productOf(gateway, store, 'A'))?.attributes).toEqual({})

  await put()
  await new Promise((resolve) => setTimeout(resolve, 100))
  hears = true
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 5_000 })
  await admin.query('commit')
  await Promise.all([admin.end(), watcher.end()])
})
