import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest'
import { newStore } from '../support/factories.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let proxy: Server
let isAway: boolean
/** How often somebody tried to connect while PostgreSQL was away. */
let attempts: number
const sockets = new Set<Socket>()
beforeEach(async () => {
  isAway = false
  attempts = 0
  const { host, port } = inject('postgres')
  proxy = createServer((client) => {
    if (isAway) {
      attempts++
      return void client.destroy()
    }
    const server = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    for (const socket of [client, server]) sockets.add(socket.on('error', () => {}))
    client.on('close', () => server.destroy()).pipe(server)
    server.on('close', () => client.destroy()).pipe(client)
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

it('while PostgreSQL is away few requests try to connect, all get 503, and the first after it is back is soon answered', async () => {
  const store = await newStore(gateway)
  const read = () => gateway.call(`/v1/products?store_uuid=${store}`)
  isAway = true
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(async () => expect((await read()).status).toBe(503))
  attempts = 0
  const began = performance.now()
  const answers: number[] = []
  for (let round = 0; round < 50; round++) {
    answers.push(...(await Promise.all(Array.from({ length: 10 }, read))).map(({ status }) => status))
    await sleep(10)
  }
  expect(new Set(answers)).toEqual(new Set([503]))
  // At most one in 5 ms at first, one in 0.1 s later; the connection that hears of tokens tries by itself.
  expect(attempts).toBeLessThan(20 + (performance.now() - began) / 100)
  isAway = false
  await sleep(250)
  expect((await read()).status).toBe(200)
})
