import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { setRecording } from '../../src/database/ledger.ts'
import { useCatalog } from '../import/catalog.ts'
import { runCli } from '../support/clients/cli.ts'

const catalog = useCatalog()
let files: { csv: string; yaml: string; store: string }
beforeEach(async () => {
  files = {
    csv: await catalog.file('a.csv', 'sku,Color\nA,red\n'),
    yaml: await catalog.file('store.yaml', 'attributes:\n  - { name: Color, type: text }\n'),
    store: await catalog.newStore(),
  }
})

const rows = async <Row>(query: ReturnType<typeof sql<Row>>) => (await query.execute(catalog.database.db)).rows
const hasGap = async () => (await rows(sql<{ has_gap: boolean }>`select has_gap from change_horizon`))[0]?.has_gap

const inStore = ({ store }: typeof files) => ['--store', store]
const commands: [string, (given: typeof files) => string[]][] = [
  ['import', (given) => ['import', given.csv, ...inStore(given)]],
  ['createStore', () => ['store', 'create', '--name', 'New']],
  ['requirements use', (given) => ['requirements', 'use', 'shopify', '--channel', 'SMP', ...inStore(given)]],
  ['config', (given) => ['config', 'push', given.yaml, ...inStore(given)]],
]

it.each(commands)('%s records its changes also where no gateway has added days to the ledger', async (name, argsOf) => {
  const days = await rows(sql<{ day: string }>`
    select inhrelid::regclass::text as day from pg_inherits where inhparent = 'change'::regclass`)
  for (const { day } of days) await sql`drop table ${sql.table(day)}`.execute(catalog.database.db)
  expect(await runCli(argsOf(files), { DATABASE_URL: catalog.database.url })).toMatchObject({ code: 0 })
  expect(await rows(sql`select distinct operation from change`)).toEqual([{ operation: name }])
  expect(await hasGap()).toBe(false)
})

it.each(commands)('%s makes the ledger begin anew where it records nothing', async (_, argsOf) => {
  const env = { DATABASE_URL: catalog.database.url, CHANGES_RETENTION: '0' }
  expect(await runCli(argsOf(files), env)).toMatchObject({ code: 0 })
  expect(await hasGap()).toBe(true)
  await setRecording(catalog.database.db, true)
})

it('a dry run does not make it begin anew', async () => {
  const env = { DATABASE_URL: catalog.database.url, CHANGES_RETENTION: '0' }
  for (const [, argsOf] of [commands[0], commands[2]].flatMap((command) => (command ? [command] : [])))
    expect(await runCli([...argsOf(files), '--dry-run'], env)).toMatchObject({ code: 0 })
  expect(await runCli(['config', 'diff', files.yaml, ...inStore(files)], env)).toMatchObject({ code: 1 })
  expect(await hasGap()).toBe(false)
})
