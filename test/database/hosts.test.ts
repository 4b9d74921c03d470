import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/database/connection/connect.ts'
import { urlsOf } from '../../src/database/connection/hosts.ts'
import { isPooled } from '../../src/database/connection/pooler.ts'
import { databaseUrl, useDatabase } from '../support/database/database.ts'
import { startPostgresProxy } from '../support/servers/fault-proxy.ts'

const database = useDatabase()

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
  const proxies = [await startPostgresProxy(), await startPostgresProxy()] as const
  const urls = proxies.map((proxy) => databaseUrl({ ...database.direct, ...proxy.connection }))
  await proxies[0].set({ kind: 'down' })
  const connection = { connectionString: urls[0] ?? '', urls }
  const db = connect(connection, () => {})
  onTestFinished(async () => {
    await db.destroy()
    for (const proxy of proxies) await proxy.close()
  })
  expect(await isPooled(connection)).toBe(false)
  for (const lost of [0, 1, 0]) {
    await proxies[lost ? 0 : 1].set({ kind: 'none' })
    await proxies[lost ? 1 : 0].set({ kind: 'down' })
    // Connections that are open when a host is lost fail once each.
    await expect.poll(() => sql`select 1 as one`.execute(db).then(({ rows }) => rows, String)).toEqual([{ one: 1 }])
  }
})

it('fails when no host serves', async () => {
  const urls = ['postgresql://127.0.0.1:1/x', 'postgresql://127.0.0.1:2/x']
  const db = connect({ connectionString: urls[0] ?? '', urls }, () => {})
  await expect(sql`select 1`.execute(db)).rejects.toThrow('ECONNREFUSED')
  await db.destroy()
})
