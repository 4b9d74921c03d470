import { CompiledQuery, type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { wholeCatalogue } from '../../src/catalogue/catalogue.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { connect, connectionStateOf } from '../../src/database/connection/connect.ts'
import type { Database } from '../../src/database/tables.ts'
import { hasRowSecurity, limitedTo } from '../../src/database/tenant.ts'
import { type RequestContext, requestContext } from '../../src/request/context.ts'
import { ReadBytes } from '../../src/request/read-bytes.ts'
import { useDatabase } from '../support/database/database.ts'
import { startPostgresProxy } from '../support/servers/fault-proxy.ts'

const database = useDatabase()

it.each([
  ['an open transaction', ['begin', 'select pg_current_xact_id()']],
  ['a transaction that has failed', ['begin', 'select 1 / 0']],
])('is rolled back with %s before another request gets it', async (_what, statements) => {
  await using db = connect({ ...database.connection, max: 1 }, () => {})
  await db
    .getExecutor()
    .provideConnection(async (connection) => {
      for (const statement of statements) await connection.executeQuery(CompiledQuery.raw(statement))
    })
    .catch(() => {})
  const { rows } = await sql`select pg_current_xact_id_if_assigned() as id`.execute(db)
  expect(rows).toEqual([{ id: null }])
})

it('prepares a statement under a name that depends on its text alone', async () => {
  const names = async () => {
    await using db = connect({ ...database.direct, max: 1 }, () => {})
    for (const n of [Math.random(), 0]) {
      if (n) await sql.raw(`select ${n} as n`).execute(db)
      await db
        .selectFrom('store')
        .select('store_name')
        .where('store_uuid', '=', '0190b3b0-0000-7000-8000-000000000000')
        .execute()
    }
    const { rows } = await sql<{
      name: string
    }>`select name from pg_prepared_statements where statement like 'select "store_name"%'`.execute(db)
    return rows.map(({ name }) => name)
  }
  const [first, second] = [await names(), await names()]
  expect(first).toEqual(second)
  expect(first).toHaveLength(1)
  expect(first[0]).toMatch(/^catalogue_[0-9a-f]{32}$/)
})

it.each([false, true])(
  'reads literals as the standard says, and commits durably, whatever the server is set to (transaction pooling: %s)',
  async (transactionPooling) => {
    const options = '-c standard_conforming_strings=off -c synchronous_commit=off'
    await using db = connect({ ...database.direct, transactionPooling, options }, () => {})
    const { rows } = await sql`
    select current_setting('standard_conforming_strings') as literals, current_setting('synchronous_commit') as commits`.execute(
      db,
    )
    expect(rows).toEqual([{ literals: 'on', commits: 'on' }])
  },
)

const contextOf = (signal: AbortSignal, readBytes = new ReadBytes()): RequestContext => ({
  requestId: { text: 'r', header: 'r' },
  tenant: 'a',
  tokenId: 'a',
  traceparent: undefined,
  trace: undefined,
  readBytes,
  signal,
})

it('sends no statement of a client that left before the connection was there, and stays in the pool', async () => {
  await using db = connect({ ...database.connection, max: 1 }, () => {})
  const sent = requestContext.run(contextOf(AbortSignal.abort()), () => sql`select 1`.execute(db))
  await expect(sent).rejects.toMatchObject({ code: '57014' })
  expect(connectionStateOf(db)).toEqual({ total: 1, idle: 1, waiting: 0, waitingForCore: 0 })
})

it('reports after each statement that its task moves on, also after one that fails', async () => {
  const db = connect({ ...database.connection, max: 1 }, () => {})
  let steps = 0
  const context = { ...contextOf(new AbortController().signal), reportProgress: () => steps++ }
  onTestFinished(() => db.destroy())
  await requestContext.run(context, () => sql`select 1`.execute(db))
  expect(steps).toBe(1)
  await requestContext.run(context, () => sql`select 1 / 0`.execute(db)).catch(() => {})
  expect(steps).toBe(2)
})

it('is free again, and its slot too, after errors of any kind', async () => {
  const db = connect({ ...database.connection, max: 2 }, () => {})
  const run = (statement: string, signal = new AbortController().signal) =>
    requestContext.run(contextOf(signal), () =>
      db.transaction().execute((transaction) => sql.raw(statement).execute(transaction)),
    )
  onTestFinished(() => db.destroy())
  for (let round = 0; round < 3; round++) {
    const rejected = await Promise.allSettled([
      run('select 1 / 0'),
      run('select pg_terminate_backend(pg_backend_pid())'),
      run('select pg_sleep(10)', AbortSignal.timeout(100)),
      run('select pg_sleep(10)', AbortSignal.timeout(1)),
      run('select 1', AbortSignal.abort()),
    ])
    expect(rejected.map(({ status }) => status)).toEqual(rejected.map(() => 'rejected'))
  }
  await Promise.all([1, 2, 3, 4].map(() => run('select 1')))
  const { total, idle, waiting } = connectionStateOf(db) ?? {}
  expect({ idle, waiting }).toEqual({ idle: total, waiting: 0 })
})

it('is free again when its request stopped waiting before it was set up', async () => {
  await using proxy = await startPostgresProxy()
  await using db = connect({ ...database.direct, ...proxy.connection, max: 2 }, () => {})
  const ask = () => sql`select 1`.execute(db)
  await ask()
  // To connect takes less than the 2 s for which a request waits; with the set-up it takes more.
  await proxy.set({ kind: 'latency', ms: 600 })
  // Both find the one idle connection, which only one of them gets.
  await Promise.allSettled([ask(), ask()])
  const inUse = () => {
    const { total = 0, idle = 0 } = connectionStateOf(db) ?? {}
    return total - idle
  }
  await expect.poll(inUse).toBe(0)
})

const readTooMuch = (db: Kysely<Database>) => sql`select repeat('x', 100000)`.execute(db)

it.each<[string, (db: Kysely<Database>) => Promise<unknown>]>([
  ['a statement', readTooMuch],
  ['a transaction', (db) => db.transaction().execute(readTooMuch)],
  [
    'a savepoint',
    (db) => inTransaction(wholeCatalogue(db), (outer) => inTransaction(outer, ({ db }) => readTooMuch(db))),
  ],
  ['a statement of a tenant', (db) => readTooMuch(limitedTo(db, new Set()))],
  ['a transaction of a tenant', (db) => limitedTo(db, new Set()).transaction().execute(readTooMuch)],
])('says what a request did that reads too much in %s', async (_where, work) => {
  // Sessions are not for a pooler: it could give a statement that another test has prepared there.
  for (const connection of [database.direct, { ...database.connection, transactionPooling: true }]) {
    await using db = connect({ ...connection, max: 1 }, () => {})
    // The second is passed by the last bytes of the answer.
    for (const maxBytes of [50_000, 99_500]) {
      const context = contextOf(new AbortController().signal, new ReadBytes(maxBytes))
      await expect(requestContext.run(context, () => work(db))).rejects.toMatchObject({ code: 'invalid_request' })
      expect((await sql`select pg_current_xact_id_if_assigned() as id`.execute(db)).rows).toEqual([{ id: null }])
    }
  }
})

it('answers whether there is row-level security also after its client has disconnected, as other requests wait for it', async () => {
  await using db = connect({ ...database.connection, max: 1 }, () => {})
  const asked = requestContext.run(contextOf(AbortSignal.abort()), () => hasRowSecurity(db))
  expect(await asked).toBeTypeOf('boolean')
})
