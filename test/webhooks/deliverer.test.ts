import { randomUUID } from 'node:crypto'
import { type KyselyPlugin, RawNode, sql, ValueNode } from 'kysely'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import type { EventFilter } from '../../src/live/event-filter.ts'
import { latestPosition } from '../../src/live/new-changes.ts'
import { startDeliverer } from '../../src/webhooks/deliver/deliverer.ts'
import { insertWebhook } from '../../src/webhooks/webhook.ts'
import { useDatabase } from '../support/database/database.ts'
import { eventsOf, fastTimes, startReceiver, status } from './receiver.ts'

const database = useDatabase()

async function insert(url: string, filter: EventFilter = {}) {
  const { catalogue, db } = database
  const key = { storeUuid: randomUUID(), webhookId: randomUUID() }
  const position = await latestPosition(db, [key.storeUuid])
  await insertWebhook(catalogue, { ...key, url, headers: {}, filter, secret: 'whsec_c2VjcmV0', position })
  return key
}

const insertChange = (storeUuid: string, ...codes: string[]) =>
  sql<{ tx: string }>`
  insert into change (store_uuid, request_id, actor, via, operation, kind, action, codes, keys, was, count)
  values (${storeUuid}, 'r', 'a', 'rest', 'o', 'product', 'created', ${codes},
    array_fill(null::text, array[${codes.length}::integer]), array_fill(null::text, array[${codes.length}::integer]),
    ${codes.length}) returning tx`.execute(database.db)

/** A transaction that has a number, until it is ended. */
async function openTransaction(): Promise<() => Promise<void>> {
  const client = await database.client()
  await client.query('begin')
  await client.query('select pg_current_xact_id()')
  return () => client.end()
}

/** A deliverer, how often it has polled, what was known at the last poll, and the times of its warnings. */
function start(times = fastTimes) {
  const state = { polls: 0, known: null as unknown, warnedAt: [] as number[] }
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (RawNode.is(node) && node.sqlFragments.join().includes('due_webhooks')) {
        state.polls++
        state.known = node.parameters.filter(ValueNode.is)[0]?.value
      }
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const log = pino({ level: 'warn' }, { write: () => state.warnedAt.push(performance.now()) })
  const outgoing = { allow: ['127.0.0.0/8'] }
  const deliverer = startDeliverer({ db: database.db.withPlugin(counting), outgoing, times, log })
  onTestFinished(deliverer.stop)
  return state
}

it('a change that becomes readable during a delivery follows it, whatever transactions are open then', async () => {
  const { promise: isHeld, resolve: release } = Promise.withResolvers<void>()
  const receiver = await startReceiver((response) => isHeld.then(() => response.end()))
  const { storeUuid } = await insert(receiver.url)
  await insertChange(storeUuid, 'A')
  const endFirst = await openTransaction()
  await insertChange(storeUuid, 'B')
  const state = start()
  await expect.poll(() => receiver.received.length).toBe(1)
  onTestFinished(await openTransaction())
  await endFirst()
  const { polls } = state
  await expect.poll(() => state.polls).toBeGreaterThan(polls + 2)
  release()
  await expect.poll(() => eventsOf(receiver.received).flatMap(({ codes }) => codes)).toEqual(['A', 'B'])
})

it('changes that are not joined are all delivered, however many a page has', async () => {
  const receiver = await startReceiver(status(200))
  const { storeUuid } = await insert(receiver.url)
  const codes = Array.from({ length: 45 }, (_, i) => `P${i}`)
  for (const code of codes) await insertChange(storeUuid, code)
  await sql`update change set action = 'updated' where seq % 2 = 0 and store_uuid = ${storeUuid}`.execute(database.db)
  start()
  await expect.poll(() => eventsOf(receiver.received).flatMap((event) => event.codes)).toEqual(codes)
})

it('polls search no changes again while a receiver does not answer', async () => {
  const receiver = await startReceiver(() => {})
  const { storeUuid } = await insert(receiver.url)
  await insertChange(storeUuid, 'A')
  const state = start()
  await expect.poll(() => receiver.received.length).toBe(1)
  await expect.poll(() => state.known).not.toBeNull()
})

it('a webhook is checked once after a change that does not match', async () => {
  const receiver = await startReceiver(status(200))
  const { storeUuid, webhookId } = await insert(receiver.url, { codePrefix: 'B' })
  const {
    rows: [change],
  } = await insertChange(storeUuid, 'A')
  const columns = async () => {
    const { rows } = await sql`
      select split_part(position, '-', 1)::xid8 >= ${change?.tx}::xid8 as "isRead", lease_until from webhook
      where webhook_id = ${webhookId}`.execute(database.db)
    return rows[0]
  }
  start()
  await expect.poll(columns).toEqual({ isRead: true, lease_until: null })
})

it('a change during the pause after a large one follows it, whatever transactions are open then', async () => {
  const receiver = await startReceiver(status(200))
  const { storeUuid, webhookId } = await insert(receiver.url)
  await insertChange(storeUuid, ...Array.from({ length: 300 }, (_, i) => `P${i}`))
  const state = start({ ...fastTimes, joining: 3_600_000 })
  const isPausing = async () => {
    const { rows } = await sql`select from webhook where webhook_id = ${webhookId} and next_at > now()`.execute(
      database.db,
    )
    return rows.length === 1
  }
  await expect.poll(isPausing).toBe(true)
  await insertChange(storeUuid, 'B')
  onTestFinished(await openTransaction())
  const { polls } = state
  await expect.poll(() => state.polls).toBeGreaterThan(polls + 2)
  expect(receiver.received).toHaveLength(1)
  await sql`update webhook set next_at = now() where webhook_id = ${webhookId}`.execute(database.db)
  await expect.poll(() => eventsOf(receiver.received).at(-1)?.codes).toEqual(['B'])
})

it('webhooks that cannot be delivered are logged once a second', async () => {
  const receiver = await startReceiver(status(200))
  const keys = await Promise.all(Array.from({ length: 10 }, () => insert(receiver.url)))
  for (const { storeUuid } of keys) await insertChange(storeUuid, 'A')
  await sql`alter table webhook rename column lease_id to renamed`.execute(database.db)
  onTestFinished(async () => {
    await sql`alter table webhook rename column renamed to lease_id`.execute(database.db)
  })
  const { warnedAt } = start()
  await expect.poll(() => warnedAt.length).toBeGreaterThan(2)
  const pauses = warnedAt.slice(1).map((at, i) => at - (warnedAt[i] ?? 0))
  expect(Math.min(...pauses)).toBeGreaterThan(900)
})
