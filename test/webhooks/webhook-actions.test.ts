import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { acquire } from '../../src/webhooks/deliver/leases.ts'
import type { Item } from '../support/clients/client.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { type Answer, startReceiver, status } from './receiver.ts'
import { change, createWebhook, deliveries, failingWebhook, forReceivers, webhook } from './support.ts'

const gateway = useGateway(forReceivers)
const stateOf = async (id: string) => (await webhook(gateway, id)).state
const update = (id: string, input: object) => change(gateway, 'updateWebhook', id, { input })

/** An answer that waits until the test gives it. */
function held(): { answer: Answer; give: (code: number) => void } {
  const { promise, resolve } = Promise.withResolvers<number>()
  return { answer: (response) => promise.then((code) => response.writeHead(code).end()), give: resolve }
}

/** A webhook of which a delivery is under way: the receiver answers when the test gives it. */
async function withDelivery() {
  const store = await newStore(gateway)
  const { answer, give } = held()
  const receiver = await startReceiver(answer)
  const { id } = await createWebhook(gateway, store, receiver.url)
  await addProducts(gateway, store, ['A'])
  await expect.poll(() => receiver.received.length).toBe(1)
  return { id, receiver, give }
}

/** A webhook whose ping is under way, as it was switched off and on. */
async function withPing() {
  const { answer, give } = held()
  const receiver = await startReceiver(answer)
  const { id } = await createWebhook(gateway, await newStore(gateway), receiver.url)
  await update(id, { enabled: false })
  await update(id, { enabled: true })
  await expect.poll(() => receiver.received.length).toBe(1)
  return { id, give }
}

describe('a webhook', () => {
  it('keeps its headers from a URL of another origin', async () => {
    const receiver = await startReceiver()
    const other = await startReceiver()
    const headers = [{ name: 'Authorization', value: 'Bearer hidden' }]
    const { id } = await createWebhook(gateway, await newStore(gateway), receiver.url, { headers })
    const move = (body: object) => gateway.call(`/v1/webhooks/${id}`, { method: 'PATCH', body })
    expect(await move({ url: `${receiver.url}/v2` })).toMatchObject({ status: 200 })
    const refused = await move({ url: other.url })
    expect(refused).toMatchObject({ status: 400 })
    expect(refused.text).toContain('headers must be given')
    expect(await move({ url: other.url, headers: [] })).toMatchObject({ status: 200 })
    await change(gateway, 'testWebhook', id)
    await expect.poll(() => other.received.length).toBe(1)
    expect(other.received[0]?.headers).not.toHaveProperty('authorization')
  })

  it('skips no delivery that has not failed', async () => {
    const { id, receiver, give } = await withDelivery()
    await change(gateway, 'skipWebhookEvent', id)
    receiver.answerWith(status(200))
    give(500)
    await expect.poll(() => receiver.received.map(({ body }) => body.data.codes)).toEqual([['A'], ['A']])
  })

  it('stays off if it is switched off while a ping is under way', async () => {
    const { id, give } = await withPing()
    await update(id, { enabled: false })
    give(200)
    await expect.poll(async () => (await deliveries(gateway, id)).length).toBe(1)
    expect(await stateOf(id)).toBe('DISABLED')
  })

  it.each([410, 500, 200])('keeps nothing of an attempt at the URL that it had: %i', async (code) => {
    const { id, give } = await withDelivery()
    const receiver = await startReceiver()
    await update(id, { url: receiver.url })
    give(code)
    await expect.poll(() => receiver.received.map(({ body }) => body.data.codes)).toEqual([['A']])
    await expect
      .poll(async () => (await deliveries(gateway, id)).map(({ httpStatus, attempt }) => [httpStatus, attempt]))
      .toEqual([
        [200, 1],
        [code, 1],
      ])
    expect(await webhook(gateway, id)).toMatchObject({ state: 'ACTIVE', failingSince: null, nextAttemptAt: null })
  })

  it('waits out no pause of the URL that it had', async () => {
    const { receiver: former, id } = await failingWebhook(gateway)
    const receiver = await startReceiver()
    await sql`update webhook set next_at = now() + interval '1 hour' where webhook_id = ${id}`.execute(
      gateway.database.db,
    )
    expect(await update(id, { url: receiver.url })).toMatchObject({ state: 'ACTIVE', failingSince: null })
    await expect.poll(() => receiver.received.map(({ body }) => body.data.codes)).toEqual([['A']])
    expect(receiver.received[0]?.headers['webhook-id']).toBe(former.received[0]?.headers['webhook-id'])
  })

  it('keeps its failures when it is given what it has, and while it is paused', async () => {
    const { receiver, id } = await failingWebhook(gateway)
    const since = { failingSince: expect.any(String) }
    expect(await update(id, { url: receiver.url, headers: [] })).toMatchObject({ state: 'FAILING', ...since })
    await sql`update webhook set state = 'paused' where webhook_id = ${id}`.execute(gateway.database.db)
    const headers = [{ name: 'X-Key', value: 'new' }]
    expect(await update(id, { headers })).toMatchObject({ state: 'PAUSED', ...since })
  })

  it('is not delivered by an answer to headers that it had', async () => {
    const { id, receiver, give } = await withDelivery()
    await update(id, { headers: [{ name: 'Authorization', value: 'Bearer new' }] })
    receiver.answerWith(status(200))
    give(410)
    await expect.poll(() => receiver.received[1]?.headers.authorization).toBe('Bearer new')
    expect(await stateOf(id)).not.toBe('DISABLED')
  })

  it('is not switched on by an answer of the URL that it had', async () => {
    const { id, give } = await withPing()
    const receiver = await startReceiver(status(500))
    await update(id, { url: receiver.url })
    give(200)
    await expect.poll(() => receiver.received.map(({ body }) => body.type)).toEqual(['webhook.ping'])
    await expect
      .poll(async () => (await deliveries(gateway, id)).map(({ httpStatus }) => httpStatus))
      .toEqual([500, 200])
    expect(await stateOf(id)).toBe('DISABLED')
  })

  it('is switched on while a ping of a test is under way', async () => {
    const { answer, give } = held()
    const receiver = await startReceiver(answer)
    const { id } = await createWebhook(gateway, await newStore(gateway), receiver.url)
    await update(id, { enabled: false })
    await change(gateway, 'testWebhook', id)
    await expect.poll(() => receiver.received.length).toBe(1)
    await update(id, { enabled: true })
    give(200)
    await expect.poll(() => stateOf(id)).toBe('ACTIVE')
  })

  it('has no more than one attempt in a second by its user', async () => {
    const { id } = await createWebhook(gateway, await newStore(gateway), 'http://127.0.0.1:9999')
    await update(id, { enabled: false })
    const { db } = gateway.database
    const early = async (mutation: string, args: Item = {}) => {
      await sql`update webhook set next_at = now() + interval '1 hour', checked_at = now() + interval '1 minute'
        where webhook_id = ${id}`.execute(db)
      await change(gateway, mutation, id, args)
      const { rows } = await sql<{ seconds: number }>`select extract(epoch from next_at - checked_at)::float8 as seconds
        from webhook where webhook_id = ${id}`.execute(db)
      return rows[0]?.seconds
    }
    expect(await early('retryWebhook')).toBe(1)
    expect(await early('updateWebhook', { input: { enabled: false } })).toBe(1)
    await change(gateway, 'testWebhook', id)
    const [storeUuid] = (
      await sql<{ s: string }>`select store_uuid as s from webhook where webhook_id = ${id}`.execute(db)
    ).rows.map(({ s }) => s)
    expect(await acquire(db, { storeUuid: storeUuid ?? '', webhookId: id }, randomUUID())).toBeUndefined()
  })

  it('has no secret in the answer that its idempotency key keeps', async () => {
    const store = await newStore(gateway)
    const headers = { 'idempotency-key': randomUUID() }
    const create = () =>
      gateway.call(`/v1/webhooks?store_uuid=${store}`, {
        method: 'POST',
        headers,
        body: { url: 'http://127.0.0.1:9999' },
      })
    expect((await create()).text).toContain('"secret":"whsec_')
    const again = await create()
    expect(again).toMatchObject({ status: 200 })
    expect(again.text).toContain('"secret":""')
    const { rows } = await sql<{ answer: string }>`select answer from idempotency_key`.execute(gateway.database.db)
    expect(JSON.stringify(rows)).not.toContain('whsec_')
  })
})
