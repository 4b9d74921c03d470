import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { productOf, storeWithProducts } from '../support/factories.ts'
import { type FaultProxy, startPostgresProxy } from '../support/fault-proxy.ts'
import { startTestGateway, type TestGateway, token } from '../support/gateway.ts'
import { send } from '../support/http.ts'

let gateway: TestGateway
/** Cancellations reach PostgreSQL through it, on connections of their own. */
let proxy: FaultProxy
beforeEach(async () => {
  proxy = await startPostgresProxy()
  gateway = await startTestGateway({ connection: proxy.connection })
})
afterEach(async () => {
  await gateway.stop()
  await proxy.close()
})

it('the work of a client that has disconnected stops, even if the cancellation does not reach PostgreSQL; when it does, waiting statements end', {
  timeout: 60_000,
}, async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const admin = await gateway.database.client()
  const post = async () => {
    await admin.query('begin; lock table attribute_definition in access exclusive mode')
    const leaving = new AbortController()
    const left = send(`${gateway.url}/v1/products?store_uuid=${store}`, {
      ...{ method: 'POST', token, body: [{ product_code: 'B', Color: 'Red' }], signal: leaving.signal },
    }).catch(() => 'left')
    await vi.waitFor(async () => expect(await gateway.database.lockWaiters()).toBe(1), { timeout: 20_000 })
    await proxy.set({ kind: 'reject' })
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
  await proxy.set({ kind: 'none' })
  expect(await productOf(gateway, store, 'B')).toBeNull()

  await post()
  await new Promise((resolve) => setTimeout(resolve, 100))
  await proxy.set({ kind: 'none' })
  await vi.waitFor(async () => expect(await gateway.database.lockWaiters()).toBe(0), { timeout: 5_000 })
  await admin.query('commit')
  await admin.end()
})
