import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newStore } from '../support/factories.ts'
import { type FaultProxy, startPostgresProxy } from '../support/fault-proxy.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let proxy: FaultProxy
beforeEach(async () => {
  proxy = await startPostgresProxy()
  gateway = await startTestGateway({ connection: proxy.connection })
})
afterEach(async () => {
  await gateway.stop()
  await proxy.close()
})

it('while PostgreSQL is away few requests try to connect, all get 503, and the first after it is back is soon answered', async () => {
  const store = await newStore(gateway)
  const read = () => gateway.call(`/v1/products?store_uuid=${store}`)
  await proxy.set({ kind: 'reject' })
  proxy.cut()
  await vi.waitFor(async () => expect((await read()).status).toBe(503))
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
  await sleep(250)
  expect((await read()).status).toBe(200)
})
