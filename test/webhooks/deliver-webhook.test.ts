import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { textOfPosition } from '../../src/catalogue/changes/cursor.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { type NewChanges, readNewChanges } from '../../src/live/new-changes.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { deliverWebhook } from '../../src/webhooks/deliver/deliver-webhook.ts'
import { acquire, listDue, record, release } from '../../src/webhooks/deliver/leases.ts'
import { choose, createScheduler } from '../../src/webhooks/deliver/scheduler.ts'
import { createSharedPages } from '../../src/webhooks/deliver/shared-pages.ts'
import { findWebhook } from '../../src/webhooks/webhook.ts'
import { retryWebhook } from '../../src/webhooks/webhook-actions.ts'
import { change } from '../live/support/change.ts'
import { useDatabase } from '../support/database/database.ts'
import { newWebhook as webhookOf } from './deliverers.ts'
import { fastTimes, startReceiver, status } from './receiver.ts'

const database = useDatabase()

const newWebhook = (url = 'https://hooks.example') => webhookOf(database, url)

function partsOf(read: (storeUuid: string, after: NewChanges['next']) => Promise<NewChanges>) {
  const outgoing = createOutgoing({ allow: ['127.0.0.0/8'] })
  onTestFinished(() => outgoing.close())
  const { signal } = new AbortController()
  return { db: database.db, outgoing, owner: randomUUID(), times: fastTimes, signal, count: () => {}, read }
}

const columnsOf = async ({ webhookId }: { webhookId: string }) => {
  const { rows } = await sql<{ isSeen: boolean; pauseSeconds: number; ping: string | null; pending: string | null }>`
    select pending, lease_until is not null as "isSeen", extract(epoch from next_at - now())::float8 as "pauseSeconds", ping
    from webhook where webhook_id = ${webhookId}`.execute(database.db)
  return rows[0]
}

const eventAt = (storeUuid: string, seq: bigint, type = 'product.created') =>
  change(type, [[`P${seq}`, null]], { storeUuid, tx: '5', seq: String(seq), cursor: `c${seq}` })

it('a webhook whose attempt another process has just failed is not leased', async () => {
  const key = await newWebhook()
  await sql`update webhook set attempt = 1, next_at = now() + interval '1 hour'
    where webhook_id = ${key.webhookId}`.execute(database.db)
  expect(await acquire(database.db, key, randomUUID())).toBeUndefined()
})

it('a webhook whose position its user moves during a delivery is checked again at once', async () => {
  const key = await newWebhook()
  const parts = partsOf(async (storeUuid, after) => {
    await sql`update webhook set moves = moves + 1 where webhook_id = ${key.webhookId}`.execute(database.db)
    const { next, ...page } = await readNewChanges(database.db, [storeUuid], after)
    return { ...page, next: { ...next, seq: next.seq + 1n } }
  })
  await deliverWebhook(parts, key)
  expect(await columnsOf(key)).toMatchObject({ isSeen: true })
})

it('a change after many pages that do not match is not passed over', async () => {
  const { position, ...key } = await newWebhook()
  const receiver = await startReceiver()
  await sql`update webhook set url = ${receiver.url}, filter = '{"codePrefix": "P33"}'
    where webhook_id = ${key.webhookId}`.execute(database.db)
  const read = async (storeUuid: string, after: NewChanges['next']) => {
    const seq = after.seq + 1n - (after.tx === 5n ? 0n : after.seq)
    const next = { ...position, tx: 5n, seq }
    const asOf = { time: new Date(), nextTx: 6n }
    return { changes: [eventAt(storeUuid, seq + 13n)], next, seen: next, durable: next, hasMore: seq < 45n, asOf }
  }
  for (let slice = 0; slice < 4; slice++) await deliverWebhook(partsOf(read), key)
  expect(receiver.received.map(({ body }) => body.data.codes)).toEqual([['P33']])
})

it('an attempt that cannot be recorded is not repeated, and others wait for some seconds', async () => {
  const receiver = await startReceiver()
  const key = await newWebhook(receiver.url)
  await sql`update webhook set ping = 'test' where webhook_id = ${key.webhookId}`.execute(database.db)
  await sql`alter table webhook_delivery add constraint none check (type = 'none') not valid`.execute(database.db)
  const parts = partsOf((storeUuid, after) => readNewChanges(database.db, [storeUuid], after))
  await expect(deliverWebhook(parts, key)).rejects.toThrow('none')
  await sql`alter table webhook_delivery drop constraint none`.execute(database.db)
  const after = await columnsOf(key)
  expect(after).toMatchObject({ ping: null, isSeen: true })
  expect(after?.pauseSeconds).toBeGreaterThan(1)
  expect(await findWebhook(database.catalogue, key.webhookId)).toMatchObject({ state: 'active' })
})

it('a time slice ends after some seconds, and the next one begins with what was to follow', async () => {
  const { position, ...key } = await newWebhook()
  const receiver = await startReceiver()
  await sql`update webhook set url = ${receiver.url} where webhook_id = ${key.webhookId}`.execute(database.db)
  const parts = partsOf(async (storeUuid) => {
    const changes = [eventAt(storeUuid, 1n), eventAt(storeUuid, 2n, 'product.updated')]
    const next = { ...position, tx: 5n, seq: 2n }
    return { changes, next, seen: next, durable: next, hasMore: false, asOf: { time: new Date(), nextTx: 6n } }
  })
  await deliverWebhook({ ...parts, times: { ...fastTimes, slice: 0 } }, key)
  expect(receiver.received.length).toBe(1)
  expect(await columnsOf(key)).toMatchObject({ isSeen: true, pending: `5-2-${position.ledger}` })
  const rest = async (...given: Parameters<typeof parts.read>) => {
    const page = await parts.read(...given)
    return { ...page, changes: page.changes.slice(1) }
  }
  await deliverWebhook({ ...parts, read: rest }, key)
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['product.created', 'product.updated'])
  expect(await columnsOf(key)).toMatchObject({ pending: null })
})

/** Reads pages of five changes: P1, P2 … P12. */
async function readFive(storeUuid: string, after: NewChanges['next']): Promise<NewChanges> {
  const first = after.tx === 5n ? after.seq + 1n : 1n
  const seqs = [0n, 1n, 2n, 3n, 4n].map((i) => first + i).filter((seq) => seq <= 12n)
  const next = { tx: 5n, seq: seqs.at(-1) ?? after.seq, ledger: after.ledger }
  const asOf = { time: new Date(), nextTx: 6n }
  const changes = seqs.map((seq) => eventAt(storeUuid, seq))
  return { changes, next, seen: next, durable: next, hasMore: next.seq < 12n, asOf }
}

it.each([
  { name: 'of the first page', codePrefix: 'P' },
  { name: 'of a later page', codePrefix: 'P1' },
])(
  'a retry $name has the id of the first attempt, also if another webhook has read the page',
  async ({ codePrefix }) => {
    const { position, ...key } = await newWebhook()
    const receiver = await startReceiver(status(500))
    const at = (seq: bigint) => ({ tx: 5n, seq, ledger: position.ledger })
    await sql`update webhook set url = ${receiver.url}, filter = ${{ codePrefix }}::json,
    position = ${textOfPosition(at(2n))} where webhook_id = ${key.webhookId}`.execute(database.db)
    await deliverWebhook(partsOf(readFive), key)
    receiver.answerWith(status(200))
    await sql`update webhook set next_at = now() where webhook_id = ${key.webhookId}`.execute(database.db)
    const read = createSharedPages(readFive)
    await read(key.storeUuid, at(0n))
    await deliverWebhook(partsOf(read), key)
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids.length).toBeGreaterThan(1)
    expect(ids[1]).toBe(ids[0])
  },
)

it.each([
  { name: 'is made at once', ask: retryWebhook, isSoon: true },
  { name: 'waits, as without that', ask: findWebhook, isSoon: false },
])('an attempt for which its user asks during one that fails $name', async ({ ask, isSoon }) => {
  const receiver = await startReceiver(async (response) => {
    await inTransaction(database.catalogue, (within) => ask(within, key.webhookId))
    response.writeHead(500).end()
  })
  const key = await newWebhook(receiver.url)
  const times = { ...fastTimes, first: 3_600_000, soon: 3_600_000 }
  await deliverWebhook({ ...partsOf(readFive), times }, key)
  const after = await columnsOf(key)
  expect(after).toMatchObject({ isSeen: true })
  expect((after?.pauseSeconds ?? 0) <= 1).toBe(isSoon)
  expect(await findWebhook(database.catalogue, key.webhookId)).toMatchObject({ state: 'failing' })
})

it('all due webhooks of a store are served, five at a time', async () => {
  const due = Array.from({ length: 20 }, () => ({ storeUuid: 'A', webhookId: randomUUID(), isSlow: false }))
  const open: (() => void)[] = []
  const stopping = new AbortController()
  const scheduler = createScheduler(() => new Promise((resolve) => open.push(resolve)), stopping.signal)
  const endOne = async () => {
    open.shift()?.()
    const left = open.length
    await expect.poll(() => scheduler.running().length - open.length).toBe(0)
    return open.length - left
  }
  scheduler.schedule(due)
  expect(open).toHaveLength(5)
  for (let started = 5; started < 20; started++) expect(await endOne()).toBe(1)
  expect(await endOne()).toBe(0)
  scheduler.schedule([{ storeUuid: 'A', webhookId: randomUUID(), isSlow: false }])
  expect(open).toHaveLength(5)
  scheduler.schedule(due)
  stopping.abort()
  expect(await endOne()).toBe(0)
})

it('slow webhooks have three of the five places of a store, and half of all', () => {
  const due = (count: number, isSlow: boolean, store?: string) =>
    Array.from({ length: count }, (_, i) => ({ storeUuid: store ?? `${i}`, webhookId: randomUUID(), isSlow }))
  const slowOf = (chosen: readonly { isSlow: boolean }[]) => chosen.filter(({ isSlow }) => isSlow).length
  expect(choose(due(9, true, 'one'), [])).toHaveLength(3)
  const ofOne = choose([...due(9, true, 'one'), ...due(9, false, 'one')], [])
  expect(ofOne).toHaveLength(5)
  expect(slowOf(ofOne)).toBeLessThanOrEqual(3)
  expect(choose(due(100, true), [])).toHaveLength(32)
  expect(choose(due(100, false), due(32, true))).toHaveLength(32)
})

it('a webhook is slow while its last attempt took more than 2 s', async () => {
  const key = await newWebhook()
  const isSlow = async () => {
    const { webhooks } = await listDue(database.db, null, null)
    return webhooks.find(({ webhookId }) => webhookId === key.webhookId)?.isSlow
  }
  const attempt = { deliveryId: randomUUID(), eventId: 'e', type: 't', attempt: 1, status: 200, reason: null }
  const end = async (durationMs: number) => {
    const owner = randomUUID()
    const leased = await acquire(database.db, key, owner)
    const ended = { ...attempt, deliveryId: randomUUID(), durationMs, response: null }
    if (leased) await record(database.db, leased, owner, ended, sql`ping = 'test'`)
    await release(database.db, key, owner, { hasMore: true, pauseMs: 0 })
    await sql`update webhook set checked_at = now() - interval '1 hour' where webhook_id = ${key.webhookId}`.execute(
      database.db,
    )
  }
  await end(2_500)
  expect(await isSlow()).toBe(true)
  await end(10)
  expect(await isSlow()).toBe(false)
})

it('a receiver is notified of a gap, also if the webhook was switched off meanwhile', async () => {
  const receiver = await startReceiver()
  const { webhookId, ...key } = await newWebhook(receiver.url)
  await sql`update webhook set position = '1-1-other' where webhook_id = ${webhookId}`.execute(database.db)
  const set = (state: string, ping: string | null) =>
    sql`update webhook set state = ${state}, ping = ${ping}, next_at = now(), checked_at = now() - interval '1 hour'
      where webhook_id = ${webhookId}`.execute(database.db)
  const parts = partsOf((storeUuid, after) => readNewChanges(database.db, [storeUuid], after))
  receiver.answerWith(status(500))
  await deliverWebhook(parts, { ...key, webhookId })
  receiver.answerWith(status(200))
  await set('disabled', 'enable')
  await deliverWebhook(parts, { ...key, webhookId })
  await deliverWebhook(parts, { ...key, webhookId })
  const types = ['webhook.gap', 'webhook.ping', 'webhook.gap']
  expect(receiver.received.map(({ body }) => body.type)).toEqual(types)
  expect(await findWebhook(database.catalogue, webhookId)).toMatchObject({ state: 'active' })
})
