import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createProducts, faultsOf, type Ledger, newLedger, writeOnce } from '../faults/support/ledger.ts'
import { useDatabase } from '../support/database/database.ts'
import { newStore, storeBody } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { makeNextRelease, mark } from '../support/servers/next-release.ts'
import { catalog, type Program, startProgram } from '../support/servers/program.ts'

const token = 'a-token-for-upgrades'
const folder = useFolder()
const database = useDatabase({}, 'each')
const running: Program[] = []
afterEach(() => Promise.all(running.map((program) => program.end('SIGKILL'))))

/** What a release may do: columns, a table, an index, another text of a function. */
const migration = `
alter table store add column note text;
alter table product add column note text not null default '';
alter table asset add column note text;
alter table asset_group add column note text;
create table product_note (store_uuid uuid not null, note_id uuid not null, primary key (store_uuid, note_id));
create index product_note_text on product (store_uuid, note) where note <> '';
`

async function start(program: string): Promise<Program> {
  const env = { DATABASE_URL: database.url, BOOTSTRAP_TOKEN: token, LOG_LEVEL: 'info' }
  const started = await startProgram(['serve'], env, () => {}, program)
  running.push(started)
  return started
}

async function functionText(): Promise<string> {
  const client = await database.client()
  const { rows } = await client.query(
    `select string_agg(prosrc, '' order by proname) as text from pg_proc where pronamespace = 'public'::regnamespace`,
  )
  await client.end()
  return rows[0].text
}

it('an instance serves without a failure while the next release migrates, and starts after it', async () => {
  const program = await makeNextRelease(await folder.newFolder('next'), migration)
  const old = await start(catalog)
  const store = await newStore(old)
  const ledgers = [0, 1, 2].map((writer) => newLedger(store, writer, 20))
  for (const ledger of ledgers) await createProducts(old, ledger)
  const gateways = [old]
  const statuses = new Map<number, number>()
  let isOver = false
  const read = async ({ call }: Program) => {
    for (const path of [`/v1/products?store_uuid=${store}&limit=50`, `/v1/assets?store_uuid=${store}`]) {
      const { status } = await call(path)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    const created = await call('/v1/stores', { method: 'POST', body: storeBody() })
    statuses.set(created.status, (statuses.get(created.status) ?? 0) + 1)
  }
  const clients = [
    ...ledgers.map(async (ledger: Ledger) => {
      for (let n = 0; !isOver; n++) await writeOnce(gateways[n % gateways.length] ?? old, ledger)
    }),
    (async () => {
      for (let n = 0; !isOver; n++) await read(gateways[n % gateways.length] ?? old)
    })(),
  ]
  // As an export does, it reads for long: the migration waits for it, and nobody waits behind the migration for long.
  const [exporting, watcher] = [await database.client(), await database.client()]
  await exporting.query('begin; select count(*) from asset')
  const upgrading = start(program)
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%alter table asset add%'`
  await expect.poll(async () => (await watcher.query(waiting)).rowCount, { interval: 5 }).toBe(1)
  await sleep(12_000) // longer than a statement may wait for a lock
  expect(await Promise.race([upgrading, sleep(0, 'waits')])).toBe('waits')
  await exporting.query('commit')
  await Promise.all([exporting.end(), watcher.end()])
  const next = await upgrading
  expect(next.stderr()).toMatch(
    /"migrations":\["9999-next","write-products","table-access"\],"msg":"database migrated"/,
  )
  expect(await functionText()).toContain(mark)
  gateways.push(next)
  await sleep(1_000)

  // An instance of the old release that is started again during the deployment, or after going back.
  const late = await start(catalog)
  expect(late.stderr()).toMatch(
    /"migrations":\["9999-next","table-access","write-products"\],"msg":"a newer version has migrated/,
  )
  expect(late.stderr()).not.toContain('database migrated')
  expect(await functionText()).toContain(mark)
  gateways.push(late)
  await sleep(2_000)
  isOver = true
  await Promise.all(clients)
  for (const { call } of gateways)
    await expect.poll(async () => (await call('/ready')).status, { timeout: 10_000 }).toBe(200)
  expect([...statuses.keys()]).toEqual([200])
  for (const ledger of ledgers) {
    expect([...ledger.refusals]).toEqual([])
    await expect.poll(() => faultsOf(late, ledger)).toEqual([])
  }
  const writes = ledgers.reduce((sum, { sent }) => sum + 2 * sent, 0)
  process.stdout.write(`rolling upgrade: ${writes} writes and ${statuses.get(200)} other requests, 0 failed\n`)
})
