import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { type DoorToPostgres, openDoorToPostgres } from './door-to-postgres.ts'

let gateway: TestGateway
let door: DoorToPostgres
beforeEach(async () => {
  door = await openDoorToPostgres()
  gateway = await startTestGateway({ connection: door.connection })
})
afterEach(async () => {
  await gateway.stop()
  door.close()
})

it('while PostgreSQL is away few requests try to connect, all get 503, and the first after it is back is soon answered', async () => {
  const store = await newStore(gateway)
  const read = () => gateway.call(`/v1/products?store_uuid=${store}`)
  door.isOpen = false
  door.cut()
  await vi.waitFor(async () => expect((await read()).status).toBe(503))
  door.turnedAway = 0
  const began = performance.now()
  const answers: number[] = []
  for (let round = 0; round < 50; round++) {
    answers.push(...(await Promise.all(Array.from({ length: 10 }, read))).map(({ status }) => status))
    await sleep(10)
  }
  expect(new Set(answers)).toEqual(new Set([503]))
  // At most one in 5 ms at first, one in 0.1 s later; the connection that hears of tokens tries by itself.
  expect(door.turnedAway).toBeLessThan(20 + (performance.now() - began) / 100)
  door.isOpen = true
  await sleep(250)
  expect((await read()).status).toBe(200)
})
