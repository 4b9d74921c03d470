import { connect as connectTcp, createServer } from 'node:net'
import { type Kysely, sql } from 'kysely'
import { expect, inject, it, onTestFinished } from 'vitest'
import { connect } from '../../src/database/connection/connect.ts'
import { withOwnConnection } from '../../src/database/connection/own-connection.ts'
import { openQueue } from '../../src/database/job-queue.ts'
import type { Database } from '../../src/database/tables.ts'
import { useDatabase } from '../support/database/database.ts'
import { listen } from '../support/servers/loopback.ts'

const database = useDatabase()

/** What a server may be set to, and what the gateway relies on. */
const settings: Record<string, [foreign: string, own: string]> = {
  jit: ['on', 'off'],
  max_parallel_workers_per_gather: ['2', '0'],
  standard_conforming_strings: ['off', 'on'],
  array_nulls: ['off', 'on'],
  datestyle: ['German', 'ISO, DMY'],
  timezone: ['Europe/Berlin', 'UTC'],
  extra_float_digits: ['-3', '1'],
  row_security: ['off', 'on'],
  idle_in_transaction_session_timeout: ['1', '30s'],
}
const names = Object.keys(settings)
const own = `${names.map((name) => settings[name]?.[1]).join()},read committed`
const read = [...names, 'transaction_isolation'].map((name) => `current_setting('${name}')`)
const current = `concat_ws(',', ${read.join()})`

function connected(transactionPooling: boolean): Kysely<Database> {
  const others = '-c default_transaction_isolation=serializable -c idle_session_timeout=60000'
  const options = `${others} ${names.map((name) => `-c ${name}=${settings[name]?.[0]}`).join(' ')}`
  const db = connect({ ...database.direct, transactionPooling, options, max: 1 }, () => {})
  onTestFinished(() => db.destroy())
  return db
}

const answer = (db: Kysely<Database>) => sql<{ is: string }>`select ${sql.raw(current)} as is`.execute(db)
const asked = async (db: Kysely<Database>) => (await answer(db)).rows[0]?.is

it.each([false, true])(
  'sessions have the settings that statements rely on, whatever the server is set to (transaction pooling: %s)',
  async (transactionPooling) => {
    const db = connected(transactionPooling)
    expect(await asked(db)).toBe(own)
    expect(await db.transaction().execute(asked)).toBe(own)
    const queue = await openQueue(db)
    expect((await queue.getDb().executeSql(`select ${current} as is`)).rows).toEqual([{ is: own }])
  },
)

it('has the same settings on separate connections, and for COPY, but may wait longer there', async () => {
  const separate = own.replace(',30s,', ',15min,')
  await withOwnConnection(connected(false), async ({ db, copyOut }) => {
    expect(await asked(db)).toBe(separate)
    await db.transaction().execute(async (transaction) => {
      expect(await asked(transaction)).toBe(separate)
      const copied = await (await copyOut(`(select ${current})`)).toArray()
      expect(Buffer.concat(copied).toString()).toBe(`${separate}\n`)
    })
  })
})

it('keeps its idle sessions, those of separate connections included', async () => {
  const idle = (db: Kysely<Database>) => sql`select current_setting('idle_session_timeout') as timeout`.execute(db)
  const db = connected(false)
  expect((await idle(db)).rows).toEqual([{ timeout: '0' }])
  expect((await withOwnConnection(db, (separate) => idle(separate.db))).rows).toEqual([{ timeout: '0' }])
})

/** A proxy in front of PostgreSQL that misspells a setting the first time it is made. */
async function misspelling(setting: string) {
  const { host, port } = inject('postgres')
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  let isDone = false
  const server = createServer((client) => {
    const upstream = connectTcp(target).on('error', () => client.destroy())
    upstream.pipe(client).on('error', () => upstream.destroy())
    client.on('end', () => upstream.end())
    client.on('data', (piece) => {
      const text = piece.toString('latin1')
      const isFound = !isDone && text.includes(setting)
      isDone ||= isFound
      upstream.write(isFound ? text.replace(setting, `x${setting.slice(1)}`) : text, 'latin1')
    })
  })
  onTestFinished(() => void server.close())
  const open = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
  return { connection: { host: '127.0.0.1', port: await listen(server) }, open }
}

it('closes a connection of the pool whose settings fail, and the next request gets a new one', async () => {
  const { connection, open } = await misspelling('row_security')
  await using db = connect({ ...database.direct, ...connection, max: 1 }, () => {})
  await expect(asked(db)).rejects.toThrow('xow_security')
  await expect.poll(open).toBe(0)
  expect(await asked(db)).toContain('read committed')
})

it('closes a separate connection whose settings fail', async () => {
  const { connection, open } = await misspelling('tcp_keepalives_count')
  await using db = connect({ ...database.direct, ...connection }, () => {})
  await expect(withOwnConnection(db, async () => {})).rejects.toThrow('xcp_keepalives_count')
  await expect.poll(open).toBe(0)
  expect(await withOwnConnection(db, (separate) => asked(separate.db))).toContain('read committed')
})
