import { randomUUID } from 'node:crypto'
import { type KyselyPlugin, type QueryId, RawNode, sql } from 'kysely'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { acquire, listDue, release } from '../../src/webhooks/deliver/leases.ts'
import { createTestDatabase, useDatabase } from '../support/database/database.ts'
import { startPostgresProxy } from '../support/servers/fault-proxy.ts'
import { insertChange, newWebhook, openTransaction, startCounted } from './deliverers.ts'
import { eventsOf, fastTimes, startReceiver, status } from './receiver.ts'

const database = useDatabase()

/** Those of other tests would be polled, too. */
beforeEach(async () => {
  await sql`delete from webhook`.execute(database.db)
})

it('a change during a delivery of another process is delivered, whatever is open, if that process stops', async () => {
  const receiver = await startReceiver(status(200))
  const key = await newWebhook(database, receiver.url)
  const owner = randomUUID()
  await acquire(database.db, key, owner)
  await insertChange(database, key.storeUuid, 'A')
  onTestFinished(await openTransaction(database))
  const state = startCounted(database.db)
  await expect.poll(() => state.polls).toBeGreaterThan(2)
  await release(database.db, key, owner, { hasMore: false, pauseMs: 0 })
  await expect.poll(() => eventsOf(receiver.received).flatMap(({ codes }) => codes)).toEqual(['A'])
})

it('between the attempts for a receiver that fails, polls are as cheap as without it, and find the others', async () => {
  const receiver = await startReceiver((response, { path }) => response.writeHead(path === '/dead' ? 500 : 200).end())
  const dead = await newWebhook(database, receiver.url.replace('/hook', '/dead'))
  const other = await newWebhook(database, receiver.url)
  await insertChange(database, dead.storeUuid, 'A')
  const state = startCounted(database.db, { ...fastTimes, first: 3_600_000, soon: 3_600_000 })
  const isFailing = sql`select from webhook where webhook_id = ${dead.webhookId} and state = 'failing'`
  await expect.poll(async () => (await isFailing.execute(database.db)).rows.length).toBe(1)
  const { polls, others } = state
  await expect.poll(() => state.polls).toBeGreaterThan(polls + 3)
  expect(state.others).toBe(others)
  await insertChange(database, dead.storeUuid, 'B')
  expect((await listDue(database.db, null, null)).webhooks).toEqual([])
  await insertChange(database, other.storeUuid, 'C')
  await expect.poll(() => eventsOf(receiver.received).at(-1)?.codes).toEqual(['C'])
  expect(receiver.received.filter(({ path }) => path === '/dead')).toHaveLength(1)
})

it('an outage of the database is logged once for each error, however many webhooks are due and however long it lasts', async () => {
  await using proxy = await startPostgresProxy()
  await using behindProxy = await createTestDatabase({ shared: database, connection: proxy.connection })
  const { promise: isHeld, resolve: answer } = Promise.withResolvers<void>()
  const receiver = await startReceiver((response) => isHeld.then(() => response.end()))
  const keys = await Promise.all(Array.from({ length: 10 }, () => newWebhook(database, receiver.url)))
  for (const { storeUuid } of keys) await insertChange(database, storeUuid, 'A')
  const state = startCounted(behindProxy.db)
  await expect.poll(() => receiver.received.length).toBe(10)
  await proxy.set({ kind: 'down' })
  answer()
  const { polls } = state
  await expect.poll(() => state.polls).toBeGreaterThan(polls + 3)
  const reasons = state.warnings.map(({ reason }) => reason)
  expect(reasons).toEqual([...new Set(reasons)])
})

it('a poll checks all webhooks if a delivery failed during the one before, or if that one failed', async () => {
  const answer = Promise.withResolvers<void>()
  const receiver = await startReceiver((response) => answer.promise.then(() => response.end()))
  const { storeUuid } = await newWebhook(database, receiver.url)
  await insertChange(database, storeUuid, 'A')
  const faults = faultyStatements()
  const state = startCounted(database.db.withPlugin(faults.plugin))
  await expect.poll(() => receiver.received.length).toBe(1)
  await expect.poll(() => state.known).not.toBeNull()

  const { resolve: endPoll, promise: isPollOver } = Promise.withResolvers<void>()
  faults.delayPoll(isPollOver)
  await expect.poll(faults.delayed).toBe(1)
  faults.fail('webhook_delivery')
  answer.resolve()
  await expect.poll(() => state.warnings.length).toBe(1)
  const { polls } = state
  endPoll()
  await expect.poll(() => state.polls).toBe(polls + 1)
  expect(state.known).toBeNull()

  await expect.poll(() => state.known).not.toBeNull()
  faults.fail('due_webhooks')
  await expect.poll(() => state.warnings.length).toBe(2)
  const { polls: pollsBefore } = state
  await expect.poll(() => state.polls).toBe(pollsBefore + 1)
  expect(state.known).toBeNull()
})

/** Lets the answers of polls wait, or the next statement with a name fail. */
function faultyStatements() {
  const polls = new WeakSet<QueryId>()
  let name: string | undefined
  let delay: Promise<void> | undefined
  let delayed = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      const text = RawNode.is(node) ? node.sqlFragments.join() : ''
      if (text.includes('due_webhooks')) polls.add(queryId)
      if (name === undefined || !text.includes(name)) return node
      name = undefined
      throw new Error(`fault ${randomUUID()}`)
    },
    transformResult: async ({ queryId, result }) => {
      if (polls.has(queryId) && delay) {
        delayed++
        await delay
      }
      return result
    },
  }
  return {
    plugin,
    delayed: () => delayed,
    delayPoll: (until: Promise<void>) => {
      delay = until
    },
    fail: (statement: string) => {
      name = statement
    },
  }
}

it('webhooks that cannot be delivered are logged once for each reason', async () => {
  const receiver = await startReceiver(status(200))
  const keys = await Promise.all(Array.from({ length: 10 }, () => newWebhook(database, receiver.url)))
  for (const { storeUuid } of keys) await insertChange(database, storeUuid, 'A')
  await sql`alter table webhook rename column lease_id to renamed`.execute(database.db)
  onTestFinished(async () => {
    await sql`alter table webhook rename column renamed to lease_id`.execute(database.db)
  })
  const state = startCounted(database.db)
  await expect.poll(() => state.polls).toBeGreaterThan(6)
  expect(state.warnings.map(({ reason }) => reason)).toEqual(['column "lease_id" does not exist'])
})
