import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { canConnect } from '../support/database/sql-client.ts'
import { newStore } from '../support/factories.ts'
import { useGatewayBehindProxy } from '../support/servers/gateway-behind-proxy.ts'

const gateway = useGatewayBehindProxy()

it('while PostgreSQL is away few requests try to connect, all get 503, and the first after it is back is soon answered', async () => {
  const store = await newStore(gateway)
  const { proxy } = gateway
  const read = () => gateway.call(`/v1/products?store_uuid=${store}`)
  await proxy.set({ kind: 'reject' })
  proxy.cut()
  await expect.poll(async () => (await read()).status).toBe(503)
  proxy.rejected()
  const began = performance.now()
  const answers: number[] = []
  for (let round = 0; round < 50; round++) {
    answers.push(...(await Promise.all(Array.from({ length: 10 }, read))).map(({ status }) => status))
    await sleep(10)
  }
  expect(new Set(answers)).toEqual(new Set([503]))
  // At most one in 5 ms at first, one in 0.1 s later; the connection that hears of tokens tries by itself.
  expect(proxy.rejected()).toBeLessThan(20 + (performance.now() - began) / 100)
  await proxy.set({ kind: 'none' })
  await expect.poll(() => canConnect({ ...gateway.database.direct, ...proxy.connection })).toBe(true)
  await expect.poll(async () => (await read()).status, { timeout: 10_000, interval: 100 }).toBe(200)
})
