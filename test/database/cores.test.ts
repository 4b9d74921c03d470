import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { connect, connectionStateOf } from '../../src/database/connection/connect.ts'
import { requestContext, withCore } from '../../src/request/context.ts'
import { ReadBytes } from '../../src/request/read-bytes.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

/** A pool for so many cores; each request of a tenant waits for a lock that another session holds. */
async function startRequests(cores: number) {
  const holder = await database.client()
  await holder.query('select pg_advisory_lock(1)')
  const db = connect({ ...database.connection, max: 10, cores }, () => {})
  onTestFinished(async () => {
    await holder.end()
    await db.destroy()
  })
  const run = (
    tenant: string,
    { needsCore = true, inTransaction = false, signal = new AbortController().signal } = {},
  ) => {
    const requestId = { text: 'r', header: 'r' }
    const given = { traceparent: undefined, trace: undefined, readBytes: new ReadBytes() }
    const statement = (handle: typeof db) =>
      withCore(() => sql`select pg_advisory_xact_lock_shared(1)`.execute(handle), needsCore)
    const wait = () => (inTransaction ? db.transaction().execute(statement) : statement(db))
    return requestContext.run({ ...given, requestId, signal, tenant, tokenId: tenant }, wait)
  }
  return { run, connections: () => connectionStateOf(db), unlock: () => holder.query('select pg_advisory_unlock(1)') }
}

it('long statements of a tenant leave a core to others, and other statements of it need none', async () => {
  const { run, unlock } = await startRequests(3)
  const long = ['a', 'a', 'a', 'a'].map((tenant) => run(tenant))
  await expect.poll(database.lockWaiters).toBe(2)
  const others = [run('b'), run('b')]
  await expect.poll(database.lockWaiters).toBe(3)
  const free = run('a', { needsCore: false })
  await expect.poll(database.lockWaiters).toBe(4)
  await unlock()
  await Promise.all([...long, ...others, free])
})

it('a client that leaves does not wait for a core', async () => {
  const { run, unlock, connections } = await startRequests(1)
  const first = run('a')
  await expect.poll(database.lockWaiters).toBe(1)
  const leaving = new AbortController()
  const waits = run('a', { signal: leaving.signal })
  const next = run('a')
  await expect.poll(() => connections()?.waitingForCore).toBe(2)
  leaving.abort()
  await expect(waits).rejects.toThrow(/left|disconnected/)
  await unlock()
  await Promise.all([first, next])
})

it('a request that waits for a core has no connection, and one in a transaction waits for none', async () => {
  const { run, unlock, connections } = await startRequests(1)
  const long = [run('a'), run('a')]
  await expect.poll(() => connections()).toEqual({ total: 1, idle: 0, waiting: 0, waitingForCore: 1 })
  const other = run('b')
  const within = run('a', { inTransaction: true })
  await expect.poll(database.lockWaiters).toBe(3)
  expect(connections()).toEqual({ total: 3, idle: 0, waiting: 0, waitingForCore: 1 })
  await unlock()
  await Promise.all([...long, other, within])
})
