import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../support/database/database.ts'
import { insertChange, newWebhook, openTransaction, startCounted } from './deliverers.ts'
import { eventsOf, fastTimes, startReceiver, status } from './receiver.ts'

const database = useDatabase()

it('a change that becomes readable during a delivery follows it, whatever transactions are open then', async () => {
  const { promise: isHeld, resolve: release } = Promise.withResolvers<void>()
  const receiver = await startReceiver((response) => isHeld.then(() => response.end()))
  const { storeUuid } = await newWebhook(database, receiver.url)
  await insertChange(database, storeUuid, 'A')
  const endFirst = await openTransaction(database)
  await insertChange(database, storeUuid, 'B')
  const state = startCounted(database.db)
  await expect.poll(() => receiver.received.length).toBe(1)
  onTestFinished(await openTransaction(database))
  await endFirst()
  const { polls } = state
  await expect.poll(() => state.polls).toBeGreaterThan(polls + 2)
  release()
  await expect.poll(() => eventsOf(receiver.received).flatMap(({ codes }) => codes)).toEqual(['A', 'B'])
})

it('changes that are not joined are all delivered, however many a page has', async () => {
  const receiver = await startReceiver(status(200))
  const { storeUuid } = await newWebhook(database, receiver.url)
  const codes = Array.from({ length: 45 }, (_, i) => `P${i}`)
  for (const code of codes) await insertChange(database, storeUuid, code)
  await sql`update change set action = 'updated' where seq % 2 = 0 and store_uuid = ${storeUuid}`.execute(database.db)
  startCounted(database.db)
  await expect.poll(() => eventsOf(receiver.received).flatMap((event) => event.codes)).toEqual(codes)
})

it('polls search no changes again while a receiver does not answer', async () => {
  const receiver = await startReceiver(() => {})
  const { storeUuid } = await newWebhook(database, receiver.url)
  await insertChange(database, storeUuid, 'A')
  const state = startCounted(database.db)
  await expect.poll(() => receiver.received.length).toBe(1)
  await expect.poll(() => state.known).not.toBeNull()
})

it('a webhook is checked once after a change that does not match', async () => {
  const receiver = await startReceiver(status(200))
  const { storeUuid, webhookId } = await newWebhook(database, receiver.url, { codePrefix: 'B' })
  const { tx } = await insertChange(database, storeUuid, 'A')
  const columns = async () => {
    const { rows } = await sql`
      select split_part(position, '-', 1)::xid8 >= ${tx}::xid8 as "isRead", lease_until from webhook
      where webhook_id = ${webhookId}`.execute(database.db)
    return rows[0]
  }
  startCounted(database.db)
  await expect.poll(columns).toEqual({ isRead: true, lease_until: null })
})

it('a change during the pause after a large one follows it, whatever transactions are open then', async () => {
  const receiver = await startReceiver(status(200))
  const { storeUuid, webhookId } = await newWebhook(database, receiver.url)
  await insertChange(database, storeUuid, ...Array.from({ length: 300 }, (_, i) => `P${i}`))
  const state = startCounted(database.db, { ...fastTimes, joining: 3_600_000 })
  const isPausing = async () => {
    const { rows } = await sql`select from webhook where webhook_id = ${webhookId} and next_at > now()`.execute(
      database.db,
    )
    return rows.length === 1
  }
  await expect.poll(isPausing).toBe(true)
  await insertChange(database, storeUuid, 'B')
  onTestFinished(await openTransaction(database))
  const { polls } = state
  await expect.poll(() => state.polls).toBeGreaterThan(polls + 2)
  expect(receiver.received).toHaveLength(1)
  await sql`update webhook set next_at = now() where webhook_id = ${webhookId}`.execute(database.db)
  await expect.poll(() => eventsOf(receiver.received).at(-1)?.codes).toEqual(['B'])
})
