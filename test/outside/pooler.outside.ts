import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { connect } from '../../src/database/connection/connect.ts'
import { isPooled, sharesSessions } from '../../src/database/connection/pooler.ts'
import type { ConnectionConfig } from '../../src/database/connection/session.ts'
import { createProducts, faultsOf, newLedger, writeOnce } from '../faults/support/ledger.ts'
import { runCli } from '../support/clients/cli.ts'
import { createTestDatabase, databaseUrl, type TestDatabase } from '../support/database/database.ts'
import { startPooler } from '../support/database/pooler.ts'
import { newStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { startTestGateway, type TestGateway, token } from '../support/servers/gateway.ts'
import { program } from '../support/servers/installed.ts'
import { startProgram } from '../support/servers/program.ts'
import { newToken } from '../support/tokens.ts'

const pgbouncer = program('pgbouncer', process.env.PGBOUNCER)
const folder = useFolder()
let pooler: Awaited<ReturnType<typeof startPooler>>
let database: TestDatabase
let pooled: ConnectionConfig
let url: string
let gateways: TestGateway[]

beforeAll(async () => {
  pooler = await startPooler(pgbouncer, folder.path, inject('postgres'))
  database = await createTestDatabase()
  pooled = { ...database.direct, ...pooler.connection }
  url = databaseUrl(pooled)
  const connection = { ...pooled, transactionPooling: true }
  gateways = [await startTestGateway({ database, connection }), await startTestGateway({ database, connection })]
})

afterAll(async () => {
  for (const gateway of gateways) await gateway.stop()
  await database.drop()
  await pooler.stop()
})

it('is found at the start, and logged', async () => {
  expect(await isPooled(pooled)).toBe(true)
  expect(await isPooled(database.direct)).toBe(false)
  const found = 'a pooler was found: each transaction sets what it needs (DATABASE_POOLING=transaction)'
  for (const [env, isLogged] of [
    [{ DATABASE_URL: url }, true],
    [{ DATABASE_URL: url, DATABASE_POOLING: 'transaction' }, false],
    [{ DATABASE_URL: database.url }, false],
  ] as const) {
    const { code, stderr } = await runCli(['check'], { ...env, LOG_LEVEL: 'info' })
    expect(code, stderr).toBe(0)
    expect(stderr.includes(found), stderr).toBe(isLogged)
  }
})

it('in transaction mode is refused where session mode is configured, and nothing starts', async () => {
  const env = { DATABASE_URL: url, DATABASE_POOLING: 'session' }
  const refused = await runCli(['check'], env)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain(
    'DATABASE_POOLING is session, but the pooler gives each transaction any session: set DATABASE_POOLING=transaction',
  )
  await expect(startProgram(['serve'], env)).rejects.toThrow('set DATABASE_POOLING=transaction')
  expect((await runCli(['check'], { ...env, DATABASE_URL: database.url })).code).toBe(0)
})

it('in session mode is accepted, also with one session only', async () => {
  const directory = await folder.newFolder('session')
  const settings = { pool_mode: 'session', default_pool_size: 1 }
  const session = await startPooler(pgbouncer, directory, inject('postgres'), settings)
  onTestFinished(session.stop)
  expect(await sharesSessions({ ...database.direct, ...session.connection })).toBe(false)
})

it('has the settings and time-outs in each statement and transaction', async () => {
  await using db = connect({ ...pooled, transactionPooling: true, statement_timeout: 200, lock_timeout: 100 }, () => {})
  expect((await sql`show jit`.execute(db)).rows).toEqual([{ jit: 'off' }])
  await expect(sql`select pg_sleep(10)`.execute(db)).rejects.toMatchObject({ code: '57014' })
  const other = await database.client()
  await other.query('begin; lock table store')
  const read = db.transaction().execute((transaction) => sql`select from store`.execute(transaction))
  await expect(read).rejects.toMatchObject({ code: '55P03' })
  await other.end()
})

it('serves gateways and commands, with nothing of one left for another', async () => {
  const [first, second] = gateways as [TestGateway, TestGateway]
  const store = await newStore(first)
  const products = (value: string) =>
    Array.from({ length: 200 }, (_, i) => ({
      product_code: `p${i}`,
      Color: value,
      'Image URL 1': `https://a.example/${i}`,
    }))
  const put = (gateway: TestGateway, value: string) =>
    gateway.call(`/v1/products?store_uuid=${store}`, { method: 'PUT', body: products(value) })
  const posted = await first.call(`/v1/products?store_uuid=${store}`, { method: 'POST', body: products('red') })
  expect(posted.status).toBe(200)
  const writes = await Promise.all(['a', 'b', 'c', 'd'].map((value, i) => put(i % 2 ? first : second, value)))
  expect(writes.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  // A token of one store: its statements run by the tenant role.
  const { secret: limited } = await newToken(first, { scopes: ['READ', 'WRITE'], stores: [store] })
  for (const gateway of gateways) {
    const page = await gateway.call(`/v1/products?store_uuid=${store}`, { token: limited })
    expect(page.json).toMatchObject({ data: { total_products: 200 } })
  }
  const file = folder.file('products.csv')
  await writeFile(
    file,
    `product_code,Color\n${products('x')
      .map(({ product_code }) => `${product_code},green`)
      .join('\n')}\n`,
  )
  for (const changed of [200, 0]) {
    const { code, stdout, stderr } = await runCli(['import', file, '--store', store, '--json'], { DATABASE_URL: url })
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rows: 200, updated: changed, failed: 0 })
  }
  const exported = await runCli(['export', '--store', store, '--format', 'jsonl'], { DATABASE_URL: url })
  expect(exported.stdout.trim().split('\n')).toHaveLength(200)
  expect((await runCli(['check'], { DATABASE_URL: url })).code).toBe(0)
  expect(await statesLeft()).toEqual([])
})

it('outlives clients that leave while their statement runs', async () => {
  const [gateway] = gateways as [TestGateway]
  const store = await newStore(gateway)
  const other = await database.client()
  await other.query('begin; lock table product')
  for (let i = 0; i < 20; i++) {
    const left = fetch(`${gateway.url}/v1/products?store_uuid=${store}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(50),
    })
    await expect(left).rejects.toThrow()
  }
  await other.end()
  await expect.poll(async () => (await gateway.call(`/v1/products?store_uuid=${store}`)).status).toBe(200)
})

it('that is killed and started again loses no acknowledged write and needs no restart of the gateway', async () => {
  const [gateway] = gateways as [TestGateway]
  const store = await newStore(gateway)
  const ledgers = [0, 1, 2].map((writer) => newLedger(store, writer, 20))
  for (const ledger of ledgers) await createProducts(gateway, ledger)
  let isOver = false
  const writers = ledgers.map(async (ledger) => {
    for (; !isOver; await sleep(5)) await writeOnce(gateway, ledger)
  })
  onTestFinished(async () => {
    isOver = true
    await Promise.all(writers)
  })
  for (let round = 0; round < 3; round++) {
    for (const ledger of ledgers) ledger.refusals.clear()
    const restart = await pooler.kill()
    await expect.poll(() => ledgers.every(({ refusals }) => refusals.size > 0)).toBe(true)
    await restart()
    const before = ledgers.map(({ acknowledged }) => acknowledged)
    await expect.poll(() => ledgers.every(({ acknowledged }, i) => acknowledged > (before[i] ?? 0) + 1)).toBe(true)
    for (const { refusals } of ledgers) expect([...refusals.keys()]).toEqual(['503 with Retry-After'])
  }
  isOver = true
  await Promise.all(writers)
  for (const ledger of ledgers) await expect.poll(() => faultsOf(gateway, ledger)).toEqual([])
})

/** What sessions of the server keep, of what one client must not leave to the next: seen through the pooler. */
async function statesLeft(): Promise<string[]> {
  const clients = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const client = new pg.Client(pooled)
      await client.connect()
      await client.query('begin')
      return client
    }),
  )
  const states = await Promise.all(clients.map((client) => client.query<{ state: string }>(sessionState)))
  for (const client of clients) await client.end()
  return states.flatMap(({ rows }) => rows.map(({ state }) => state))
}

const sessionState = `
  select name || ' = ' || setting as state from pg_settings where source = 'session' and name <> 'application_name'
  union all select 'role ' || current_user where current_user <> session_user
  union all select 'statement ' || name from pg_prepared_statements
  union all select 'lock ' || objid from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
  union all select 'table ' || relname from pg_class where relpersistence = 't' and relkind = 'r'`
