import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/database/connection/connect.ts'
import { urlsOf } from '../../src/database/connection/hosts.ts'
import { withOwnConnection } from '../../src/database/connection/own-connection.ts'
import { isPooled } from '../../src/database/connection/pooler.ts'
import { codeOf } from '../../src/database/unavailable.ts'
import { databaseUrl, useDatabase } from '../support/database/database.ts'
import { startPostgresProxy } from '../support/servers/fault-proxy.ts'

const database = useDatabase()

async function startHosts() {
  const proxies = [await startPostgresProxy(), await startPostgresProxy()] as const
  onTestFinished(async () => {
    for (const proxy of proxies) await proxy.close()
  })
  return { proxies, urls: proxies.map((proxy) => databaseUrl({ ...database.direct, ...proxy.connection })) }
}

it.each([
  ['postgresql://one/database', ['postgresql://one/database']],
  [
    'postgresql://user:p%2Cw@one:5432,two:5433/database?target_session_attrs=read-write',
    [
      'postgresql://user:p%2Cw@one:5432/database?target_session_attrs=read-write',
      'postgresql://user:p%2Cw@two:5433/database?target_session_attrs=read-write',
    ],
  ],
  [
    'postgres://%2Frun%2Fone,%2Frun%2Ftwo/database',
    ['postgres://%2Frun%2Fone/database', 'postgres://%2Frun%2Ftwo/database'],
  ],
])('finds the hosts of %s', (url, urls) => {
  expect(urlsOf(url)).toEqual(urls)
})

it('connects to the next host when one is lost, and to the first one again when that one is lost', async () => {
  const { proxies, urls } = await startHosts()
  await proxies[0].set({ kind: 'down' })
  const connection = { connectionString: urls[0] ?? '', urls }
  await using db = connect(connection, () => {})
  expect(await isPooled(connection)).toBe(false)
  for (const lost of [0, 1, 0]) {
    await proxies[lost ? 0 : 1].set({ kind: 'none' })
    await proxies[lost ? 1 : 0].set({ kind: 'down' })
    // Connections that are open when a host is lost fail once each.
    await expect.poll(() => sql`select 1 as one`.execute(db).then(({ rows }) => rows, String)).toEqual([{ one: 1 }])
  }
})

it('closes connections to a host that hangs, also those of jobs, once another host serves', async () => {
  const { proxies, urls } = await startHosts()
  await using db = connect({ connectionString: urls[0] ?? '', urls }, () => {})
  await proxies[1].set({ kind: 'down' })
  const outcomes: string[] = []
  const note = (work: Promise<unknown>) =>
    work.then(
      () => outcomes.push('done'),
      (error) => outcomes.push(codeOf(error)),
    )
  const began = Promise.withResolvers<void>()
  const hung = Promise.withResolvers<void>()
  void note(
    withOwnConnection(db, async (own) => {
      await sql`select 1`.execute(own.db)
      began.resolve()
      await hung.promise
      await sql`select 1`.execute(own.db)
    }),
  )
  await began.promise
  await sql`select 1`.execute(db)
  await proxies[0].set({ kind: 'hang' })
  hung.resolve()
  void note(sql`select 1`.execute(db))
  await proxies[1].set({ kind: 'none' })
  await expect.poll(() => outcomes).toEqual(['08006', '08006'])
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

it('leaves a long statement alone while its host serves', async () => {
  const { proxies, urls } = await startHosts()
  await using db = connect({ connectionString: urls[0] ?? '', urls }, () => {})
  const slow = sql`select pg_sleep(4) is null as slept`.execute(db)
  // Each check opens a connection to the host.
  await expect.poll(() => proxies[0].accepted()).toBeGreaterThan(0)
  expect((await slow).rows).toEqual([{ slept: false }])
})

it('fails when no host serves', async () => {
  const urls = ['postgresql://127.0.0.1:1/x', 'postgresql://127.0.0.1:2/x']
  const db = connect({ connectionString: urls[0] ?? '', urls }, () => {})
  await expect(sql`select 1`.execute(db)).rejects.toThrow('ECONNREFUSED')
  await db.destroy()
})
