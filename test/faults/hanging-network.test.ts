import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { connect, connectionStateOf } from '../../src/database/connection/connect.ts'
import { withOwnConnection } from '../../src/database/connection/own-connection.ts'
import { isPooled } from '../../src/database/connection/pooler.ts'
import type { ConnectionConfig } from '../../src/database/connection/session.ts'
import type { Database } from '../../src/database/tables.ts'
import { isUnavailable } from '../../src/database/unavailable.ts'
import { type RequestContext, requestContext } from '../../src/request/context.ts'
import { ReadBytes } from '../../src/request/read-bytes.ts'
import { databaseUrl, useDatabase } from '../support/database/database.ts'
import { type FaultProxy, startPostgresProxy } from '../support/servers/fault-proxy.ts'

const database = useDatabase()
/** Waiting for a slot, for a probe and for the connection, and an answer: less than this, also on a busy machine. */
const wholeMs = 20_000
const deadlines = { max: 4, connectionTimeoutMillis: 300, query_timeout: 300 }

let proxy: FaultProxy
beforeEach(async () => {
  proxy = await startPostgresProxy()
})
afterEach(() => proxy.close())

function open(config: ConnectionConfig = {}): Kysely<Database> {
  return connect({ ...database.direct, ...proxy.connection, ...deadlines, ...config }, () => {})
}

async function outcomeOf(work: Promise<unknown>): Promise<'done' | 'unavailable' | 'silent' | Error> {
  const late = new Promise<'silent'>((resolve) => setTimeout(resolve, wholeMs, 'silent').unref())
  const done = work.then(
    () => 'done' as const,
    (error: Error) => (isUnavailable(error) ? 'unavailable' : error),
  )
  return Promise.race([done, late])
}

/** What requests do with connections. */
const uses: Record<string, (db: Kysely<Database>) => Promise<unknown>> = {
  'a statement': (db) => db.selectFrom('store').select('store_name').limit(1).execute(),
  'a transaction': (db) =>
    db.transaction().execute(async (transaction) => {
      await db.selectFrom('token').select('name').limit(1).execute()
      await sql`select pg_current_xact_id()`.execute(transaction)
    }),
  'a request whose client leaves': (db) => {
    const signal = AbortSignal.timeout(100)
    const context: RequestContext = { ...nothing, readBytes: new ReadBytes(), signal }
    return requestContext.run(context, () => sql`select pg_sleep(1)`.execute(db))
  },
}
const nothing = {
  requestId: { text: 'r', header: 'r' },
  tenant: 'a',
  tokenId: 'a',
  traceparent: undefined,
  trace: undefined,
}

const bytes = [0, 50, 150, 300, 400, 450, 500, 600, 800, 1_200, 2_000]

describe.each([false, true])('a network that hangs (transaction pooling: %s)', (transactionPooling) => {
  async function expectNobodyHeldUp(db: Kysely<Database>): Promise<void> {
    const asked = [1, 2, 3].flatMap(() => Object.values(uses).map((use) => outcomeOf(use(db))))
    for (const outcome of await Promise.all(asked)) expect(outcome).toMatch(/done|unavailable/)
    await proxy.set({ kind: 'none' })
    await expect.poll(() => outcomeOf(sql`select 1`.execute(db))).toBe('done')
    await expect.poll(() => connectionStateOf(db)).toMatchObject({ waiting: 0 })
    expect(await outcomeOf(db.destroy())).toBe('done')
  }

  it.each(bytes)('after %i bytes of each connection holds up nobody', async (count) => {
    await proxy.set({ kind: 'hang after', bytes: count })
    await expectNobodyHeldUp(open({ transactionPooling }))
  })

  it('when connections have been idle for longer than an answer may take, holds up nobody', async () => {
    const db = open({ transactionPooling })
    await Promise.all([1, 2, 3, 4].map(() => sql`select pg_sleep(0.1)`.execute(db)))
    await sleep(2 * deadlines.query_timeout)
    await proxy.set({ kind: 'hang' })
    await expectNobodyHeldUp(db)
  })
})

describe('a network that hangs while the pool ends', () => {
  it.each([
    ['between two statements', true],
    ['after the last one', false],
  ])('%s: the pool ends', async (_when, isUsed) => {
    const db = open()
    const ended: Promise<unknown>[] = []
    const work = db.connection().execute(async (connection) => {
      await sql`select 1`.execute(connection)
      await proxy.set({ kind: 'hang' })
      ended.push(db.destroy())
      await setImmediate() // the pool waits for this connection now
      if (isUsed) await sql`select 1`.execute(connection)
    })
    expect(await outcomeOf(work)).toBe(isUsed ? 'unavailable' : 'done')
    expect(await outcomeOf(Promise.all(ended))).toBe('done')
  })
})

describe('a connection outside of the pool', () => {
  beforeEach(() => proxy.set({ kind: 'hang' }))

  it('is given up when the network hangs, also at a URL of its own', async () => {
    const url = databaseUrl({ ...database.direct, ...proxy.connection })
    for (const directUrl of [undefined, url]) {
      const db = open({ directUrl })
      onTestFinished(() => db.destroy())
      expect(await outcomeOf(withOwnConnection(db, async () => {}))).toBe('unavailable')
    }
  })

  it('with which a pooler is looked for is given up', async () => {
    const config = { ...database.direct, ...proxy.connection, ...deadlines }
    for (const count of bytes) {
      await proxy.set({ kind: 'hang after', bytes: count })
      expect(await outcomeOf(isPooled(config)), `${count} bytes`).toMatch(/done|unavailable/)
    }
  })
})
