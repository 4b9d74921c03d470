import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createToken } from '../../src/auth/tokens.ts'
import { wholeCatalogue } from '../../src/catalogue/catalogue.ts'
import { connect } from '../../src/database/connection/connect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { namesOf } from '../../src/database/registry/table-registry.ts'
import type { Database } from '../../src/database/tables.ts'
import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'
import { setRequirements, settled } from '../catalogue/readiness/support.ts'
import { outcomeOf, refusal, runCli, startCli } from '../support/clients/cli.ts'
import { ask } from '../support/clients/operations.ts'
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts'
import { addAssets, addProducts, define, newStore, storeIn, storeWithProducts } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { startTestGateway, useGateway } from '../support/servers/gateway.ts'
import { catalog, searchPath } from '../support/servers/program.ts'

const tables = namesOf(({ backedUp }) => backedUp)
const source = useGateway()
const writeKey = { 'idempotency-key': randomUUID() }
const folder = useFolder()
let store: string
let secret: string

beforeAll(async () => {
  store = await storeWithProducts(source, [
    {
      productCode: '\\.',
      attributes: { Title: 'tab\t, line\n, return\r\n, \\N, \\t, \\\\., 𝒳 ü "quoted"', Empty: '' },
    },
    { productCode: '\\N', status: 'under review', attributes: { '\\.': '\n\\.\n' } },
    { productCode: 'Zoë; drop table store;', status: 'active' },
  ])
  await addAssets(source, store, [
    ['a\\', '\\.', { url: 'https://cdn.example/%20;"?a=\\' }],
    'b \\.',
    ['b', '\\N', { channel: 'channel_value_1' }],
    ['c', '\\N', { assetFormat: 'pdf' }],
  ])
  await setRequirements(source, store, 'SMP', [{ code: 'image', kind: 'ASSET' }])
  await settled(source, store, 'SMP')
  await define(source, store, [{ name: 'Size', type: 'ENUM', allowedValues: ['a,b', '{"c"}', '\\.'] }])
  const { database } = source
  secret = (await createToken(database.db, { name: 'of the source', scopes: ['read', 'write'], stores: [store] }))
    .secret
  expect(await writeOnce(source, store)).toMatchObject({ status: 200 })
  await newStore(source, { store_name: 'empty' })
})

const writeOnce = (gateway: Pick<typeof source, 'call'>, storeUuid: string, Color = 'Blue') =>
  gateway.call(`/v1/products?store_uuid=${storeUuid}`, {
    method: 'PUT',
    token: secret,
    headers: writeKey,
    body: [{ product_code: '\\N', status: 'active', Color }],
  })

const run = ({ url }: TestDatabase, ...args: string[]) => runCli(args, { DATABASE_URL: url })

async function target(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const database = await createTestDatabase(options)
  onTestFinished(() => database.drop())
  return database
}

async function backup(name: string): Promise<string> {
  const file = folder.file(name)
  expect(await run(source.database, 'backup', file)).toMatchObject({ code: 0, stderr: '' })
  return file
}

/** Every row of the tables of a backup. */
async function contentOf(db: Kysely<Database>) {
  const content: Record<string, unknown[]> = {}
  // A gateway goes on with the others.
  for (const table of tables.filter((name) => name !== 'measure')) {
    const { rows } = await sql`select t.* from ${sql.table(table)} t order by t::text`.execute(db)
    content[table] = rows
  }
  return content
}

async function exportOf(database: TestDatabase): Promise<string> {
  const { code, stdout } = await run(database, 'export', '--store', store, '--format', 'jsonl')
  expect(code).toBe(0)
  return stdout
}

describe('a backup', () => {
  it.each(['whole.sql', 'whole.sql.gz'])('restores all that was there: %s', async (name) => {
    const copy = await target()
    const file = await backup(name)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const ledgerOf = async () =>
      (await sql<{ ledger: string; since: Date }>`select ledger, since from change_horizon`.execute(copy.db)).rows[0]
    const ledger = await ledgerOf()
    const restored = await run(copy, 'restore', file, '--json')
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    const rows = { store: 2, attribute_definition: 1, product: 3, asset: 3, asset_link: 4, token: 1 }
    expect(JSON.parse(restored.stdout)).toMatchObject({ rows: { ...rows, idempotency_key: 1 } })
    const begun = await ledgerOf()
    expect(begun?.ledger).not.toBe(ledger?.ledger)
    expect(Number(begun?.since)).toBeGreaterThan(Number(ledger?.since))
    expect(await contentOf(copy.db)).toEqual(await contentOf(source.database.db))
    expect(await exportOf(copy)).toBe(await exportOf(source.database))
    expect(await run(copy, 'check')).toMatchObject({ code: 0, stdout: 'no difference found\n' })
  })

  it('has the webhooks, switched off', async () => {
    const id = randomUUID()
    const { db } = source.database
    await sql`insert into webhook (store_uuid, webhook_id, url, headers, secret, filter, position, ping, pending, lease_id,
        lease_until)
      values (${store}, ${id}, 'https://hooks.example', '{}', 'whsec_', '{}', '1-1-0', 'test', '1-1-0', ${id},
        now() + interval '1 hour')`.execute(db)
    const file = await backup('webhooks.sql')
    await sql`delete from webhook where webhook_id = ${id}`.execute(db)
    const copy = await target()
    expect(await run(copy, 'restore', file)).toMatchObject({ code: 0 })
    const { rows } = await sql`select state, ping, pending, lease_id, lease_until from webhook`.execute(copy.db)
    expect(rows).toEqual([{ state: 'disabled', ping: null, pending: null, lease_id: null, lease_until: null }])
  })

  it('serves the tokens, the answers of repeated writes, and new writes', async () => {
    const copy = await target()
    expect(await run(copy, 'token', 'create', '--name', 'of the target')).toMatchObject({ code: 0 })
    expect(await run(copy, 'restore', await backup('served.sql.gz'))).toMatchObject({
      code: 0,
      stdout: 'restored 2 stores, 3 products, 3 assets and 1 token\n',
    })
    await using gateway = await startTestGateway({ database: copy })
    const before = await source.call(`/v1/assets?store_uuid=${store}`, { token: secret })
    expect(await gateway.call(`/v1/assets?store_uuid=${store}`, { token: secret })).toMatchObject({
      status: 200,
      json: { data: (before.json as { data: object }).data },
    })
    expect(await writeOnce(gateway, store)).toMatchObject({ status: 200 })
    expect(await writeOnce(gateway, store, 'Green')).toMatchObject({ status: 409 })
    await addAssets(gateway, store, [['new', '\\.']])
    expect(await run(copy, 'check')).toMatchObject({ code: 0 })
    expect(await settled(gateway, store, 'SMP')).toMatchObject({ total: 3, ready: 1 })
  })

  it('has every table but jobs, the ledger, logins of the server and what lasts for minutes', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        and not relispartition`.execute(source.database.db)
    const leftOut = [
      ...['change', 'change_horizon', 'channel_readiness', 'job', 'job_part', 'product_dirty'],
      ...[
        'product_gap',
        'product_index',
        'product_index_slot',
        'product_text',
        'product_text_state',
        'rate_limit',
        'report_user',
        'webhook_delivery',
      ],
    ]
    expect(namesOf(({ backedUp }) => !backedUp).toSorted()).toEqual(leftOut.toSorted())
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...tables, ...leftOut, 'migration'].toSorted())
  })

  it('has one state of all tables, whatever is written meanwhile', async () => {
    const file = folder.file('consistent.sql')
    const before = await contentOf(source.database.db)
    const writer = await source.database.client()
    await writer.query('begin; lock table product in access exclusive mode')
    const running = run(source.database, 'backup', file)
    await expect.poll(() => source.database.lockWaiters()).toBe(1)
    await writer.query(`update store set store_website = 'https://later.example'; update product set status = 'draft'`)
    await writer.query('commit')
    await writer.end()
    expect(await running).toMatchObject({ code: 0 })
    const copy = await target()
    expect(await run(copy, 'restore', file)).toMatchObject({ code: 0 })
    expect(await contentOf(copy.db)).toEqual(before)
    expect(await contentOf(source.database.db)).not.toEqual(before)
  })

  it.each(['fails', 'is ended by a signal'])('is not there when it %s', async (how) => {
    const inside = await folder.newFolder('failed')
    const blocker = await source.database.client()
    await blocker.query('begin; lock table product in access exclusive mode')
    const child = startCli(['backup', join(inside, 'b.sql')], { DATABASE_URL: source.database.url })
    const running = outcomeOf(child)
    await expect.poll(() => source.database.lockWaiters()).toBe(1)
    expect(await readdir(inside)).toEqual([expect.stringMatching(/^b\.sql\..*\.partial$/)])
    if (how === 'is ended by a signal') child.kill('SIGTERM')
    else {
      await blocker.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
    }
    expect(await running).toMatchObject({ code: how === 'fails' ? 1 : null, stdout: '' })
    await blocker.end()
    expect(await readdir(inside)).toEqual([])
  })

  it('replaces a file only with --force', async () => {
    const file = folder.file('there.sql')
    await writeFile(file, 'mine')
    const refused = await run(source.database, 'backup', file)
    expect(refused).toMatchObject(refusal(`${file} exists; --force replaces it\n`))
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect(await run(source.database, 'backup', file, '--force')).toMatchObject({ code: 0 })
    expect(await readFile(file, 'utf8')).toMatch(/^-- \{"catalogue_backup":2,.*\}\nset .*\nbegin;.*\ncopy store \(/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('refuses a database that a newer version has migrated: it may have tables that this one does not know', async () => {
    const newer = await target()
    await sql`insert into migration (name, checksum, version) values ('0005-later', '', '9.0.0')`.execute(newer.db)
    const file = folder.file('newer.sql')
    const sentence = 'a newer version has migrated the database (0005-later): back it up with that version'
    expect(await run(newer, 'backup', file)).toMatchObject(refusal(sentence, 1))
    expect(existsSync(file)).toBe(false)
  })
})

describe('restore', () => {
  const half = (text: Buffer) => text.subarray(0, text.length / 2)
  const changed = (from: string | RegExp, to: string) => (text: Buffer) =>
    Buffer.from(text.toString().replace(from, () => to))

  it.each<[string, string, (text: Buffer) => Buffer, string]>([
    ['cut off in the middle', 'd.sql', half, 'it is cut off before its end line. Nothing was restored'],
    ['without its end line', 'd.sql', changed(/-- .*\n$/, ''), 'it is cut off before its end line'],
    ['cut off when compressed', 'd.sql.gz', (text) => half(gzipSync(text)), ': unexpected end of file'],
    ['with a changed value', 'd.sql', changed('cdn.example', 'cdn.exampel'), 'expected the end line with the numbers'],
    ['without a row', 'd.sql', changed(/\n.*empty.*\n/, '\n'), 'expected the end line with the numbers'],
    [
      'with a row that is no row',
      'd.sql',
      changed('\tactive\t', '\tunknown\t'),
      'expected the end line with the numbers',
    ],
    [
      'of which a table is missing',
      'd.sql',
      changed(/copy product .*?\n\\\.\n/s, ''),
      'expected the end line with the numbers',
    ],
    ['with other statements', 'd.sql', changed('commit;', 'drop table token;'), 'expected the line "commit;"'],
    ['followed by more', 'd.sql', (text) => Buffer.concat([text, text]), 'expected nothing after the end line'],
    ['that is a table', 'd.sql', () => Buffer.from('sku,name\n1,a\n'), 'expected the first line of a backup'],
  ])('applies nothing of a file %s', async (_title, name, damage, sentence) => {
    const copy = await target()
    const before = await contentOf(copy.db)
    const file = join(await folder.newFolder('damaged'), name)
    await writeFile(file, damage(gunzipSync(await readFile(folder.file('whole.sql.gz')))))
    const { code, stdout, stderr } = await run(copy, 'restore', file)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`catalog: ${file} `)
    expect(stderr).toContain(sentence)
    expect(await contentOf(copy.db)).toEqual(before)
  })

  it('refuses a database with stores, without tables or with other migrations, and a file that is not there', async () => {
    const file = folder.file('whole.sql')
    const [empty, other] = [await target({ empty: true }), await target()]
    const attempt = async (database: TestDatabase) => {
      const { code, stderr } = await run(database, 'restore', file)
      expect(code).toBe(1)
      return stderr
    }
    expect(await attempt(source.database)).toContain('expected a database without stores; it has 2: create another one')
    expect(await attempt(empty)).toContain('Run "catalog migrate" first.')
    await sql`update migration set name = '9999-later' where name = '0003-jobs'`.execute(other.db)
    expect(await attempt(other)).toContain(
      'lacks migrations of the backup, which version "0.1.0" wrote: "0003-jobs"; run',
    )
    await sql`insert into migration (name, checksum, version) values ('0003-jobs', '', '0.1.0')`.execute(other.db)
    expect(await attempt(other)).toContain(
      'has migrations that are not in the backup, which version "0.1.0" wrote: 9999-later; restore it with that version',
    )
    expect(await other.db.selectFrom('store').select('store_uuid').execute()).toEqual([])
    const missing = await run(other, 'restore', folder.file('missing.sql'))
    expect(missing).toMatchObject(refusal('missing.sql cannot be read: ENOENT'))
  })
})

it('goes on with the next store after a restore was killed', async () => {
  const [first, second] = [store, await storeWithProducts(source, ['X'])]
  const [file, copy] = [await backup('resumed.sql.gz'), await target()]
  const blocker = await copy.client()
  const stores = () =>
    copy.db
      .selectFrom('store')
      .select([sql<string>`xmin::text`.as('tx'), 'store_uuid'])
      .execute()
  await blocker.query('begin')
  await blocker.query(`insert into product values ($1, 'X', 'new', '{}')`, [second])
  const child = startCli(['restore', file], { DATABASE_URL: copy.url })
  const killed = outcomeOf(child)
  await expect.poll(copy.lockWaiters).toBe(1)
  child.kill('SIGKILL')
  await killed
  await blocker.end()
  const restored = await stores()
  expect(restored.map(({ store_uuid }) => store_uuid)).toContain(first)
  expect(restored.map(({ store_uuid }) => store_uuid)).not.toContain(second)
  const another = await run(copy, 'restore', await backup('another.sql'))
  expect(another.stderr).toContain('another backup was restored only in part')
  expect(await run(copy, 'restore', file)).toMatchObject({ code: 0 })
  expect(await stores()).toEqual(expect.arrayContaining(restored))
  expect(await contentOf(copy.db)).toEqual(await contentOf(source.database.db))
  expect((await run(copy, 'restore', file)).stderr).toContain('expected a database without stores')
})

interface Page {
  pageInfo: { endCursor: string; hasNextPage: boolean }
  nodes: { productCode: string }[]
}

it('lists products by their last change after a restore, even if the clock of the source was ahead', async () => {
  const ahead = await storeWithProducts(source, ['past', 'new', 'changed', 'changed again'])
  const { db } = source.database
  const inAnHour = new Date(Date.now() + 3_600_000)
  const of = sql`where store_uuid = ${ahead} and product_code`
  await sql`update product set updated_at = ${inAnHour}::timestamptz ${of} <> 'past'`.execute(db)
  await sql`update product set created_at = ${inAnHour}::timestamptz ${of} = 'new'`.execute(db)
  const copy = await target()
  expect(await run(copy, 'restore', await backup('ahead.sql'))).toMatchObject({ code: 0 })
  await using gateway = await startTestGateway({ database: copy })
  const later = Array.from({ length: 20 }, (_, i) => `later ${String(i).padStart(2, '0')}`)
  for (const code of later) await addProducts(gateway, ahead, [code])
  const products = [{ productCode: 'changed again', attributes: { Color: 'red' } }]
  await ask(gateway, 'updateProducts', { storeUuid: ahead, products })
  const codes: string[] = []
  for (let after: string | null = null, isMore = true; isMore; ) {
    const args: string = `first: 10, after: ${JSON.stringify(after)}, orderBy: { field: UPDATED_AT, direction: DESC }`
    const selection = `{ products(${args}) { pageInfo { endCursor hasNextPage } nodes { productCode } } }`
    const { products }: { products: Page } = await ask(gateway, 'store', { storeUuid: ahead }, selection)
    codes.push(...products.nodes.map(({ productCode }) => productCode))
    after = products.pageInfo.endCursor
    isMore = products.pageInfo.hasNextPage
  }
  expect(codes).toEqual(['changed again', ...later.toReversed(), 'new', 'changed', 'past'])
})

it('moves an embedded database to another server by the commands of the documentation', async () => {
  const documentation = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const [, commands = ''] = /^## Backups\n.*?^```sh\n(.*?)^```/ms.exec(documentation) ?? []
  const dataDir = folder.file('data')
  const server = await startEmbedded({ dataDir })
  const db = connect(server.connection, () => {})
  await migrate(db)
  const storeUuid = await storeIn(wholeCatalogue(db))
  const moved = await contentOf(db)
  await db.destroy()
  await server.stop()
  const copy = await target({ empty: true })
  const script = commands.replaceAll(/^catalog\b/gm, catalog)
  expect(script.split('\n').filter((line) => line.startsWith(catalog))).toHaveLength(4)
  const env = { PATH: searchPath, DATA_DIR: dataDir, NEW_DATABASE_URL: copy.url }
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd: folder.path, env })
  expect(stdout).toContain('restored 1 store, 0 products, 0 assets and 0 tokens\nno difference found\n')
  expect(moved.store).toMatchObject([{ store_uuid: storeUuid }])
  expect(await contentOf(copy.db)).toEqual(moved)
})
