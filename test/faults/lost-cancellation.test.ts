import { expect, it } from 'vitest'
import { caughtUp } from '../support/caught-up.ts'
import { send } from '../support/clients/http.ts'
import { productOf, storeWithProducts } from '../support/factories.ts'
import { token } from '../support/servers/gateway.ts'
import { useGatewayBehindProxy } from '../support/servers/gateway-behind-proxy.ts'

const gateway = useGatewayBehindProxy()

it('the work of a client that has disconnected stops, even if the cancellation does not reach PostgreSQL; when it does, waiting statements end', async () => {
  const store = await storeWithProducts(gateway, ['A'])
  const { proxy } = gateway
  await using admin = await gateway.database.client()
  const post = async () => {
    // The projections wait for the lock, too, while there is something to do.
    await caughtUp(gateway.database, store)
    await admin.query('begin; lock table attribute_definition in access exclusive mode')
    const leaving = new AbortController()
    const left = send(`${gateway.url}/v1/products?store_uuid=${store}`, {
      ...{ method: 'POST', token, body: [{ product_code: 'B', Color: 'Red' }], signal: leaving.signal },
    }).catch(() => 'left')
    await expect.poll(gateway.database.lockWaiters).toBe(1)
    await proxy.set({ kind: 'reject' })
    proxy.rejected()
    leaving.abort()
    expect(await left).toBe('left')
    // The cancellation needs a connection of its own.
    await expect.poll(proxy.rejected).toBeGreaterThan(0)
  }

  await post()
  await admin.query('commit')
  const busy = () => (gateway.database.pool()?.total ?? 0) - (gateway.database.pool()?.idle ?? 0)
  await expect.poll(busy).toBe(0)
  await proxy.set({ kind: 'none' })
  expect(await productOf(gateway, store, 'B')).toBeNull()

  await post()
  await proxy.set({ kind: 'none' })
  await expect.poll(gateway.database.lockWaiters).toBe(0)
  await admin.query('commit')
})
