import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from '../support/clients/cli.ts'
import { databaseUrl, useDatabase } from '../support/database/database.ts'
import { newStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { type FaultProxy, startPostgresProxy } from '../support/servers/fault-proxy.ts'
import { startTestGateway } from '../support/servers/gateway.ts'

const database = useDatabase()
const empty = useDatabase({ empty: true })
const folder = useFolder()
let direct: FaultProxy
let store: string
beforeAll(async () => {
  direct = await startPostgresProxy()
  await using gateway = await startTestGateway({ database })
  store = await newStore(gateway)
  await writeFile(folder.file('products.csv'), 'product_code,Color\na,red\nb,blue\n')
})
afterAll(() => direct.close())

/** How many connections to DATABASE_DIRECT_URL a command opens. */
async function directConnections({ direct: server, url }: typeof database, ...args: string[]): Promise<number> {
  const directUrl = databaseUrl({ ...server, ...direct.connection })
  direct.accepted()
  const { code, stderr } = await runCli(args, { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl })
  expect(code, stderr).toBe(0)
  return direct.accepted()
}

it('DATABASE_DIRECT_URL is used for migrations, imports, exports and backups, and for nothing else', async () => {
  expect(await directConnections(empty, 'migrate')).toBe(1)
  expect(await directConnections(database, 'import', folder.file('products.csv'), '--store', store)).toBe(1)
  expect(await directConnections(database, 'export', '--store', store)).toBe(1)
  expect(await directConnections(database, 'backup', folder.file('backup.sql'))).toBe(1)
  expect(await directConnections(database, 'check')).toBe(1)
  expect(await directConnections(database, 'store', 'list')).toBe(0)
})

it('an unreachable DATABASE_DIRECT_URL fails what needs it, with the reason', async () => {
  const env = { DATABASE_URL: database.url, DATABASE_DIRECT_URL: 'postgresql://127.0.0.1:1/none' }
  const { code, stderr } = await runCli(['export', '--store', store], env)
  expect(code).toBe(1)
  expect(stderr).toContain('ECONNREFUSED')
  expect((await runCli(['store', 'list'], env)).code).toBe(0)
})
