import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wholeCatalogue } from '../../src/catalogue/catalogue.ts'
import { checkReadModel } from '../../src/catalogue/check-read-model.ts'
import { connect } from '../../src/database/connection/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { Database } from '../../src/database/tables.ts'
import { type EmbeddedServer, startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'
import { outcomeOf, runCli } from '../support/clients/cli.ts'
import { databaseUrl } from '../support/database/database.ts'
import { storeIn } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { positionOf, startImport, useCatalog } from './catalog.ts'

/** How often PostgreSQL is killed before the import is let through; KILLS makes it more. */
const kills = Number(process.env.KILLS ?? 1)
const rows = 10_000
const line = (i: number) =>
  `P${String(i).padStart(6, '0')},name ${i},https://a.example/${i % 4_000},https://a.example/b${i}\n`
const content = `sku,name,Image URL 1,Image URL 2\n${Array.from({ length: rows }, (_, i) => line(i)).join('')}`

const catalog = useCatalog()
const folder = useFolder()
let server: EmbeddedServer
let db: Kysely<Database>
beforeAll(async () => {
  server = await startEmbedded({ dataDir: folder.path })
  db = connect(server.connection, () => {})
  await migrate(db)
})
afterAll(async () => {
  await db.destroy()
  await server.stop()
})

async function position(store: string): Promise<number | undefined> {
  return positionOf(db, store).catch(() => undefined)
}

async function exportOf(store: string): Promise<string> {
  const out = catalog.path(`${store}.csv`)
  await runCli(['export', '--store', store, '--out', out], env())
  return readFile(out, 'utf8')
}

const env = () => ({ DATABASE_URL: databaseUrl(server.connection) })

test('an import whose PostgreSQL is killed reports where it stopped, and can be resumed', async () => {
  const file = await catalog.file('lost.csv', content)
  const [undisturbed, disturbed] = [await storeIn(wholeCatalogue(db)), await storeIn(wholeCatalogue(db))]
  expect(await outcomeOf(startImport([file, '--store', undisturbed], env()))).toMatchObject({ code: 0 })
  const args = [file, '--store', disturbed, '--chunk-rows', '200', '--resume', '--json']
  let worked = 0
  for (let kill = 0; kill < kills; kill++) {
    const ended = outcomeOf(startImport(args, env()))
    await expect.poll(() => position(disturbed), { interval: 5 }).toBeGreaterThan(worked)
    await sleep(Math.random() * 50)
    const [pid] = (await readFile(folder.file('postgres/cluster/postmaster.pid'), 'utf8')).split('\n')
    process.kill(Number(pid), 'SIGKILL')
    const { code, stderr } = await ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/stopped after row \d+: .*continue with --resume\n/),
    })
    await expect.poll(() => position(disturbed)).toBeDefined()
    worked = (await position(disturbed)) ?? 0
  }
  const { code, stdout, stderr } = await outcomeOf(startImport(args, env()))
  expect(stderr).toContain(`resumes after row ${worked}\n`)
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    rows,
    created: rows,
    failed: 0,
    links_added: 2 * rows,
  })
  expect(await exportOf(disturbed)).toBe(await exportOf(undisturbed))
  expect(await checkReadModel(db)).toEqual([])
})
