import { expect, it } from 'vitest'
import { useDatabase } from '../support/database/database.ts'
import { newStore } from '../support/factories.ts'
import { serve } from '../support/servers/serve.ts'
import { eventsOf, startReceiver, verified } from '../webhooks/receiver.ts'
import { createWebhook, makeProducts } from '../webhooks/support.ts'

const database = useDatabase()
const start = () => serve(database, [], { OUTGOING_ALLOW: '127.0.0.0/8' })

it('kill -9 of the gateway in the middle: every change is delivered, in order', { timeout: 240_000 }, async () => {
  let gateway = await start()
  const store = await newStore(gateway)
  const receiver = await startReceiver((response) => setTimeout(() => response.end(), 50))
  const filter = { types: ['product.created'] }
  const { secret } = await createWebhook(gateway, store, receiver.url, { filter })
  const codes: string[] = []
  for (let round = 0; round < 3; round++) {
    const before = receiver.received.length
    codes.push(...(await makeProducts(gateway, store, round * 20, 20)))
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before)
    await gateway.end('SIGKILL')
    gateway = await start()
  }
  // The lease of the killed gateway lasts for 20 s.
  await expect.poll(() => eventsOf(receiver.received).flatMap((event) => event.codes)).toEqual(codes)
  for (const one of receiver.received) verified(one, secret)
  await gateway.end('SIGTERM')
})
