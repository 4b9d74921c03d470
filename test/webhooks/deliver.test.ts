import { createServer } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Item } from '../support/clients/client.ts'
import { ask } from '../support/clients/operations.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { startTestGateway, useGateway } from '../support/servers/gateway.ts'
import { listen } from '../support/servers/loopback.ts'
import { eventsOf, fastTimes, type Received, startReceiver, status, verified } from './receiver.ts'
import { change, createWebhook, deliveries, failingWebhook, forReceivers, makeProducts, webhook } from './support.ts'

const gateway = useGateway(forReceivers)

const codesOf = (received: readonly Received[]) => eventsOf(received).flatMap(({ codes }) => codes)
const stateOf = async (id: string) => (await webhook(gateway, id)).state

describe('deliveries', () => {
  it('have every change in the order of the feed, signed as Standard Webhooks', async () => {
    const store = await newStore(gateway)
    const receiver = await startReceiver((response) => setTimeout(() => response.writeHead(204).end(), 20))
    const filter = { types: ['product.created', 'store.updated'] }
    const { secret, id } = await createWebhook(gateway, store, receiver.url, { filter })
    const codes = await makeProducts(gateway, store, 0, 40)
    await ask(gateway, 'updateStore', { storeUuid: store, input: { storeName: 'renamed' } }, '{ storeUuid }')
    await expect.poll(() => eventsOf(receiver.received).at(-1)?.type).toBe('store.updated')
    expect(codesOf(receiver.received)).toEqual([...codes, ''])
    for (const one of receiver.received) expect(verified(one, secret)).toEqual(one.body)
    const feed = await gateway.call(`/v1/changes?store_uuid=${store}&limit=100`)
    const { changes } = (feed.json as { data: { changes: { type: string }[] } }).data
    expect(eventsOf(receiver.received)).toEqual(changes.slice(1))
    // One after the other: while one was delivered, others came.
    expect(receiver.received.length).toBeLessThan(30)
    await expect.poll(() => webhook(gateway, id)).toMatchObject({ state: 'ACTIVE', lag: { events: 0, seconds: 0 } })
    const ids = (await deliveries(gateway, id)).map(({ eventId }) => eventId)
    expect(ids.toReversed()).toEqual(receiver.received.map(({ headers }) => headers['webhook-id']))
  })

  it('join changes of a type up to 200 codes, have at most 20 KB, and the first codes of a large change', async () => {
    const { store, receiver, id } = await failingWebhook(gateway)
    const longCode = (i: number) => `${String(i).padStart(4, '0')}${'ü'.repeat(200)}`
    await addProducts(
      gateway,
      store,
      Array.from({ length: 1_000 }, (_, i) => `M${i}`),
    )
    await addProducts(
      gateway,
      store,
      Array.from({ length: 150 }, (_, i) => longCode(i)),
    )
    await makeProducts(gateway, store, 0, 210)
    receiver.answerWith(status(200))
    await change(gateway, 'retryWebhook', id)
    await expect.poll(() => codesOf(receiver.received)).toContain('P00209')
    const bodies = [...new Map(receiver.received.map((one) => [one.headers['webhook-id'], one.body])).values()]
    expect(Math.max(...receiver.received.map(({ text }) => Buffer.byteLength(text)))).toBeLessThanOrEqual(20 * 1024)
    expect(bodies[0]?.data).toMatchObject({ codes: ['A'] })
    const large = bodies[1]?.data.changes
    expect(large).toMatchObject([
      { more: true, counts: { created: 1_000 } },
      { more: true, counts: { created: 150 }, codes: [], keys: [] },
    ])
    expect(large?.[0]?.codes).toHaveLength(200)
    const joined = bodies.slice(2).map(({ data }) => (data.changes ?? [data]).flatMap(({ codes }) => codes).length)
    expect(Math.max(...joined)).toBeLessThanOrEqual(200)
    expect(joined.reduce((sum, one) => sum + one, 0)).toBe(210)
  })

  it('have what matches the filter only', async () => {
    const store = await newStore(gateway)
    const receiver = await startReceiver()
    const filter = { attributes: ['Color'], codePrefix: 'A' }
    await createWebhook(gateway, store, receiver.url, { filter })
    await addProducts(gateway, store, ['A1', 'A2', 'B1'])
    const set = (productCode: string, attributes: Item) => ({ productCode, attributes })
    await addProducts(gateway, store, [
      set('A1', { Size: '1' }),
      set('A2', { Color: 'red' }),
      set('B1', { Color: 'red' }),
    ])
    await addProducts(gateway, store, [set('A1', { Size: '2' })])
    await addProducts(gateway, store, [set('A1', { Color: 'blue' })])
    await expect.poll(() => eventsOf(receiver.received).length).toBe(3)
    expect(eventsOf(receiver.received)).toMatchObject([
      { type: 'product.created', codes: ['A1', 'A2'], counts: { created: 2 } },
      { type: 'product.updated', codes: ['A2'], keys: ['Color'] },
      { type: 'product.updated', codes: ['A1'], keys: ['Color'] },
    ])
  })

  it('have the headers of the receiver, and both signatures after a rotation', async () => {
    const store = await newStore(gateway)
    const receiver = await startReceiver()
    const headers = [{ name: 'Authorization', value: 'Bearer of the receiver' }]
    const { id, secret } = await createWebhook(gateway, store, receiver.url, { headers })
    const rotated = await ask<{ secret: string }>(gateway, 'rotateWebhookSecret', { id }, '{ secret }')
    await addProducts(gateway, store, ['A'])
    await expect.poll(() => receiver.received.length).toBe(1)
    const [one] = receiver.received
    expect(one?.headers).toMatchObject({ authorization: 'Bearer of the receiver', 'content-type': 'application/json' })
    expect(rotated.secret).not.toBe(secret)
    for (const each of [secret, rotated.secret]) expect(one && verified(one, each)).toEqual(one?.body)
    const again = gateway.graphql('mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }', { id })
    expect(JSON.stringify(await again)).toMatch(/rotated within the last 24 hours/)
  })
})

describe('a receiver that fails', () => {
  it('gets each delivery again, the same each time and in order, until it succeeds', async () => {
    const store = await newStore(gateway)
    const receiver = await startReceiver((response, _request, n) =>
      response.writeHead(n % 3 === 2 ? 200 : 500).end('no'),
    )
    const { id } = await createWebhook(gateway, store, receiver.url)
    const codes = await makeProducts(gateway, store, 0, 6)
    await expect.poll(() => codesOf(receiver.received)).toEqual(codes)
    await expect.poll(() => webhook(gateway, id)).toMatchObject({ state: 'ACTIVE', lag: { events: 0 } })
    const byId = Map.groupBy(receiver.received, ({ headers }) => headers['webhook-id'])
    for (const attempts of byId.values()) {
      expect(attempts).toHaveLength(3)
      expect(new Set(attempts.map(({ text }) => text)).size).toBe(1)
    }
    const [last] = (await deliveries(gateway, id)).filter(({ httpStatus }) => httpStatus === 500)
    expect(last).toMatchObject({ attempt: 2, response: 'no', reason: 'the receiver must answer 2xx; got 500' })
  })

  it('gets all when it is back', async () => {
    const store = await newStore(gateway)
    const before = await startReceiver()
    await before.stop()
    const { id } = await createWebhook(gateway, store, before.url)
    const codes = await makeProducts(gateway, store, 0, 5)
    await expect.poll(() => stateOf(id)).toBe('FAILING')
    expect((await deliveries(gateway, id))[0]).toMatchObject({ httpStatus: null, reason: /ECONNREFUSED/ })
    const back = await startReceiver(undefined, before.port)
    await expect.poll(() => codesOf(back.received)).toEqual(codes)
    await expect.poll(() => webhook(gateway, id)).toMatchObject({ state: 'ACTIVE', failingSince: null })
  })

  it('is not followed to a link-local address', async () => {
    const store = await newStore(gateway)
    const receiver = await startReceiver(status(307, { location: 'http://169.254.169.254/latest/meta-data' }))
    const { id } = await createWebhook(gateway, store, receiver.url)
    await addProducts(gateway, store, ['A'])
    await expect.poll(async () => (await deliveries(gateway, id)).length).toBeGreaterThan(1)
    expect(new Set((await deliveries(gateway, id)).map(({ httpStatus }) => httpStatus))).toEqual(new Set([307]))
  })

  it('is disabled by 410, and enabled again when it answers a ping', async () => {
    const store = await newStore(gateway)
    const receiver = await startReceiver(status(410))
    const { id } = await createWebhook(gateway, store, receiver.url)
    await addProducts(gateway, store, ['A'])
    await expect.poll(() => stateOf(id)).toBe('DISABLED')
    await change(gateway, 'updateWebhook', id, { input: { enabled: true } })
    await expect.poll(async () => (await deliveries(gateway, id))[0]?.type).toBe('webhook.ping')
    expect(await stateOf(id)).toBe('DISABLED')
    receiver.answerWith(status(200))
    await change(gateway, 'updateWebhook', id, { input: { enabled: true } })
    await expect.poll(() => stateOf(id)).toBe('ACTIVE')
    await expect.poll(() => codesOf(receiver.received)).toContain('A')
  })

  it('is left alone for as long as it asks', async () => {
    const { id } = await failingWebhook(gateway, status(429, { 'retry-after': '120' }))
    const { rows } = await sql<{ pause: number }>`
      select pause_ms as pause from webhook where webhook_id = ${id}`.execute(gateway.database.db)
    // The test's times end at 200 ms.
    expect(rows).toEqual([{ pause: fastTimes.late }])
  })

  it('does not slow other receivers, and a dead one costs one connection at a time', async () => {
    const store = await newStore(gateway)
    const sockets = new Set<object>()
    let most = 0
    const dead = createServer((socket) => {
      sockets.add(socket)
      most = Math.max(most, sockets.size)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    })
    const port = await listen(dead)
    onTestFinished(() => void dead.close())
    await createWebhook(gateway, store, `http://127.0.0.1:${port}`)
    const receiver = await startReceiver()
    const ids = await Promise.all(Array.from({ length: 10 }, () => createWebhook(gateway, store, receiver.url)))
    const codes = await makeProducts(gateway, store, 0, 5)
    const expected = ids.flatMap(() => codes).sort()
    const events = () => receiver.received.flatMap(({ body: { data } }) => data.changes ?? [data])
    await expect
      .poll(() =>
        events()
          .flatMap((one) => one.codes)
          .sort(),
      )
      .toEqual(expected)
    for (const { id } of ids) await expect.poll(() => webhook(gateway, id)).toMatchObject({ lag: { events: 0 } })
    expect(most).toBe(1)
    for (const socket of sockets) (socket as { destroy(): void }).destroy()
  })
})

describe('a webhook', () => {
  it('is paused after days of failures, and goes on where it was', async () => {
    const { receiver, id } = await failingWebhook(gateway)
    await sql`update webhook set failing_since = now() - interval '6 days' where webhook_id = ${id}`.execute(
      gateway.database.db,
    )
    await expect.poll(() => stateOf(id)).toBe('PAUSED')
    const { length } = receiver.received
    receiver.answerWith(status(200))
    await change(gateway, 'updateWebhook', id, { input: { enabled: true } })
    await expect.poll(() => stateOf(id)).toBe('ACTIVE')
    await expect.poll(() => codesOf(receiver.received.slice(length))).toContain('A')
  })

  it('that the ledger has lost goes on from now, and says so', async () => {
    const store = await newStore(gateway)
    const receiver = await startReceiver()
    const { id } = await createWebhook(gateway, store, receiver.url)
    await sql`update webhook set position = '1-1-' || split_part(position, '-', 3) where webhook_id = ${id}`.execute(
      gateway.database.db,
    )
    await sql`update change_horizon set tx = (select max(tx) from change), seq = (select max(seq) from change)`.execute(
      gateway.database.db,
    )
    await addProducts(gateway, store, ['A'])
    await expect.poll(() => receiver.received[0]?.body.type).toBe('webhook.gap')
    await expect.poll(() => stateOf(id)).toBe('ACTIVE')
    await addProducts(gateway, store, ['B'])
    await expect.poll(() => codesOf(receiver.received)).toContain('B')
    expect(receiver.received[0]?.body.data).toMatchObject({ type: 'webhook.gap', store_uuid: store })
  })

  it('delivers again from a cursor and from a time, and leaves out what is skipped', async () => {
    const store = await newStore(gateway)
    const receiver = await startReceiver()
    const { id, cursor } = await createWebhook(gateway, store, receiver.url)
    const began = new Date().toISOString()
    await addProducts(gateway, store, ['A'])
    await expect.poll(() => receiver.received.length).toBe(1)
    await change(gateway, 'replayWebhook', id, { from: cursor })
    await expect.poll(() => receiver.received.length).toBe(2)
    await change(gateway, 'replayWebhook', id, { from: began })
    await expect.poll(() => receiver.received.length).toBe(3)
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1)
    receiver.answerWith((response, { text }) => response.writeHead(text.includes('POISON') ? 400 : 200).end())
    await addProducts(gateway, store, ['POISON'])
    await expect.poll(() => stateOf(id)).toBe('FAILING')
    await addProducts(gateway, store, ['B'])
    await change(gateway, 'skipWebhookEvent', id)
    await expect.poll(() => codesOf(receiver.received).at(-1)).toBe('B')
    await expect.poll(() => stateOf(id)).toBe('ACTIVE')
  })

  it('sends a ping as a test, whose result is among the deliveries', async () => {
    const store = await newStore(gateway)
    const receiver = await startReceiver()
    const { id, secret } = await createWebhook(gateway, store, receiver.url)
    await change(gateway, 'testWebhook', id, { dryRun: true })
    await change(gateway, 'testWebhook', id)
    await expect.poll(() => deliveries(gateway, id)).toMatchObject([{ type: 'webhook.ping', httpStatus: 200 }])
    expect(receiver.received.map((one) => verified(one, secret))).toMatchObject([{ type: 'webhook.ping' }])
  })

  it('is served by one of several gateways at a time', async () => {
    await using _other = await startTestGateway({ database: gateway.database, ...forReceivers })
    const store = await newStore(gateway)
    let [open, most] = [0, 0]
    const receiver = await startReceiver((response) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        response.end()
      }, 10)
    })
    await createWebhook(gateway, store, receiver.url)
    const codes = await makeProducts(gateway, store, 0, 30)
    await expect.poll(() => codesOf(receiver.received)).toEqual(codes)
    expect(most).toBe(1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(receiver.received.length)
  })
})
