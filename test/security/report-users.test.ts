import { randomUUID } from 'node:crypto'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { endReportSessions } from '../../src/auth/watch-writers.ts'
import { wholeCatalogue } from '../../src/catalogue/catalogue.ts'
import { listChanges } from '../../src/catalogue/changes/list-changes.ts'
import { upsertProducts } from '../../src/catalogue/products/upsert-products.ts'
import { inTransaction } from '../../src/catalogue/transaction.ts'
import { migrate } from '../../src/database/migrate.ts'
import { refusal, runCli } from '../support/clients/cli.ts'
import { databaseUrl, type TestDatabase } from '../support/database/database.ts'
import { queryOnce } from '../support/database/sql-client.ts'
import { storeIn } from '../support/factories.ts'
import { useGateway } from '../support/servers/gateway.ts'
import { databaseOfUser } from './database-of-user.ts'
import { canary, createFixture, type Fixture } from './fixture.ts'

const gateway = useGateway()
const server = inject('postgres')
const name = `report_${randomUUID().slice(0, 8)}`
let fixture: Fixture
let database: string
let admin: pg.Client
let user: pg.Client
let password: string
const notices: string[] = []

const catalog = (args: string[], url = databaseUrl({ ...server, database })) =>
  runCli(['report-user', ...args], { DATABASE_URL: url })

beforeAll(async () => {
  fixture = await createFixture(gateway)
  database = new URL(gateway.database.url).pathname.slice(1)
  const { code, stdout, stderr } = await catalog(['add', name, '--store', fixture.own])
  expect({ code, stderr }).toEqual({ code: 0, stderr: `${name}: the password is shown only once\n` })
  password = stdout.trim()
  admin = new pg.Client({ ...server, database })
  await admin.connect()
  for (const store of [fixture.own, fixture.foreign]) {
    await admin.query(`insert into channel_readiness (store_uuid, channel, build, state, requirements, missing, required)
      values ('${store}', 'SMP', 1, 'current', '[]', '{}', 0) on conflict do nothing`)
    await admin.query(
      `insert into measure values ('${store}', 'PRODUCTS', '', 'day', '2026-01-01', 3) on conflict do nothing`,
    )
  }
  user = await login()
})

afterAll(async () => {
  await user.end()
  await admin.query(`drop owned by ${name}`).catch(() => {})
  await admin.query(`drop role if exists ${name}`)
  await admin.end()
})

async function login(as = name): Promise<pg.Client> {
  const client = new pg.Client({ ...server, user: as, database })
  client.on('notice', ({ message = '' }) => notices.push(message))
  client.on('error', () => {})
  await client.connect()
  return client
}

/** What the user gets for a statement: rows or an error, and notices, as text. */
async function outcome(statement: string): Promise<string> {
  notices.length = 0
  const result = await user.query(statement).then(
    ({ rows }) => rows,
    ({ message, detail, hint, where }: pg.DatabaseError) => ({ message, detail, hint, where }),
  )
  return JSON.stringify([result, notices])
}

const views = ['stores', 'products', 'product_attributes', 'coverage', 'readiness', 'measures', 'changes', 'jobs']

describe('a report user', () => {
  it.each(views)('sees in %s its own store, and no other', async (view) => {
    const all = await admin.query(`select distinct store_uuid from ${tableOf[view]}`)
    expect(all.rows).toContainEqual({ store_uuid: fixture.foreign })
    const { rows } = await user.query(`select * from ${view}`)
    expect(rows.length).toBeGreaterThan(0)
    expect(new Set(rows.map(({ store_uuid }) => store_uuid))).toEqual(new Set([fixture.own]))
    expect(JSON.stringify(rows)).not.toMatch(canary)
  })

  const tableOf: Record<string, string> = {
    ...{ stores: 'store', products: 'product', product_attributes: 'product', coverage: 'asset_group_total' },
    ...{ readiness: 'channel_readiness', measures: 'measure', changes: 'change', jobs: 'job' },
  }

  it('sees the values of its products by name', async () => {
    const { rows } = await user.query(`select value from product_attributes where name = 'Color' order by 1`)
    expect(rows).toEqual([{ value: 'own' }])
  })

  it.each([
    `create function pg_temp.leak(text) returns boolean cost 0.0000001 language plpgsql as
      $$ begin raise notice 'seen %', $1; return true; end $$`,
    `select product_code from products where pg_temp.leak(product_code)`,
    `select value from product_attributes where pg_temp.leak(value)`,
    `select store_name from stores where pg_temp.leak(store_name)`,
    `select actor from changes where pg_temp.leak(actor)`,
    `select error from jobs where pg_temp.leak(error)`,
    `select channel from coverage where pg_temp.leak(store_uuid::text)`,
    `select 1 from products where 1 / (product_code not like '${canary.slice(0, 3)}%')::int = 1`,
    `select value::int from product_attributes where value not like 'own%'`,
    `explain (analyze, verbose) select * from products where product_code like '${canary.slice(0, 3)}%'`,
    `explain (analyze) select * from products where pg_temp.leak(product_code)`,
    `select * from pg_stats where schemaname not in ('pg_catalog', 'information_schema')`,
    `select * from pg_stats_ext`,
    `select set_config('catalogue.stores', '{$foreign}', false), * from products`,
    `select * from products where current_user = 'postgres' or true`,
    `select (select p.product_code from products p where p.store_uuid <> s.store_uuid limit 1) from stores s`,
    `with recursive r as (select product_code from products union select product_code from products) select * from r`,
    `select query from pg_stat_activity`,
    `select * from pg_prepared_statements`,
  ])('learns nothing of another store by %s', async (statement) => {
    await user.query('set default_transaction_read_only = off')
    // Without indexes conditions are evaluated in the order of their costs, on all rows.
    for (const scan of ['indexscan', 'indexonlyscan', 'bitmapscan']) await user.query(`set enable_${scan} = off`)
    const seen = await outcome(statement.replace('$foreign', fixture.foreign))
    expect(seen).not.toMatch(canary)
    // The setting that it gave itself comes back.
    if (!statement.includes('set_config')) expect(seen).not.toContain(fixture.foreign)
  })

  const denied = [
    ...['store', 'product', 'asset', 'asset_link', 'asset_group', 'asset_group_total', 'change', 'job', 'job_part'],
    ...['channel_requirement', 'channel_readiness', 'product_gap', 'measure', 'product_dirty'],
    'product_total',
    ...['attribute_definition', 'token', 'idempotency_key', 'report_user', 'change_horizon', 'migration'],
  ].map((table) => `select * from public.${table}`)

  it.each([
    ...denied,
    'select * from pg_statistic',
    'select * from pg_authid',
    'set role catalogue_tenant',
    `select set_config('role', 'catalogue_tenant', false)`,
    'set session authorization catalogue_tenant',
    `select * from public.changes_of('$foreign', '{CODE-1}', '-infinity')`,
    `select * from public.changes_after('$foreign', '0', 0, '99999999', null, null, '-infinity', 'infinity', 10)`,
    `insert into report.stores (store_uuid) values (gen_random_uuid())`,
    `update report.products set status = 'new'`,
    'delete from report.jobs',
    `insert into public.report_user values (current_user, '$foreign')`,
    'alter view report.products reset (security_barrier)',
    'create or replace view report.products as select * from public.product',
    'create view report.mine as select * from public.product',
    'create table public.mine (a int)',
    'create schema mine',
    'create role mine',
    'alter role current_user superuser',
    'alter role current_user connection limit -1',
    `copy (select 1) to program 'true'`,
    `select pg_read_file('postgresql.conf')`,
    `select * from job_queue.job`,
    `alter system set log_statement = 'all'`,
    'select lo_create(0)',
    'select lo_creat(-1)',
    `select lo_from_bytea(0, 'a')`,
  ])('may not %s', async (statement) => {
    await user.query('set default_transaction_read_only = off')
    const denial = user.query(statement.replace('$foreign', fixture.foreign))
    await expect(denial).rejects.toThrow(/permission denied|must be (owner|superuser)|does not exist|only roles with/i)
  })

  it('begins with limits of time, without writes, JIT compilation and parallel plans, and has five connections', async () => {
    const others = [await login(), await login(), await login()]
    const last = await login()
    onTestFinished(() => Promise.all([...others, last].map((client) => client.end())).then(() => {}))
    const { rows } = await last.query(
      `select current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as "readOnly",
        current_setting('jit') as jit, current_setting('max_parallel_workers_per_gather') as workers`,
    )
    expect(rows).toEqual([{ timeout: '1min', readOnly: 'on', jit: 'off', workers: '0' }])
    await expect(login()).rejects.toThrow(/too many connections for role/)
  })

  it('cannot hold back the feed of changes: its session is ended', async () => {
    const { catalogue } = gateway.database
    const writer = await login()
    const ended = endOf(writer)
    const codesAfter = async (after: string | null) => {
      const { changes } = await listChanges(catalogue, fixture.own, {}, { after, limit: 10 })
      // Its readiness follows, as an event of its own.
      return changes.flatMap(({ kind, codes }) => (kind === 'product' ? codes : []))
    }
    // Until then, transactions that have not ended delay the changes of the fixture.
    const { rows } = await sql`select from change where store_uuid = ${fixture.own}`.execute(gateway.database.db)
    await expect
      .poll(() => listChanges(catalogue, fixture.own, {}, { limit: 1_000 }).then(({ changes }) => changes.length))
      .toBeGreaterThanOrEqual(rows.length)
    const { next } = await listChanges(catalogue, fixture.own, {}, { after: 'latest', limit: 1 })
    await writer.query('begin read write')
    await writer.query('select pg_current_xact_id()')
    const code = `after ${randomUUID()}`
    const product = [{ product_code: code, Color: 'red' }]
    const posted = await gateway.call(`/v1/products?store_uuid=${fixture.own}`, { method: 'POST', body: product })
    expect(posted.status).toBe(200)
    expect(await codesAfter(next)).toEqual([])
    await ended
    await expect.poll(() => codesAfter(next)).toEqual([code])
  })

  it('logs in with its password only, which the server has as a hash', async () => {
    const { rows } = await admin.query('select rolpassword from pg_authid where rolname = $1', [name])
    expect(rows[0].rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/)
    const [{ hba_file: file }] = (await admin.query('show hba_file')).rows
    const before = await readFile(file, 'utf8')
    onTestFinished(async () => {
      await writeFile(file, before)
      await admin.query('select pg_reload_conf()')
    })
    await writeFile(file, `local all ${name} scram-sha-256\n${before}`)
    await admin.query('select pg_reload_conf()')
    const withPassword = (given: string) => queryOnce({ ...server, user: name, database, password: given }, 'select 1')
    await expect
      .poll(() => withPassword('wrong').catch((error: Error) => error.message))
      .toMatch(/authentication failed/)
    await withPassword(password)
  })
})

/** Waits also where an error ends it. */
function endOf(client: pg.Client): Promise<void> {
  return new Promise((resolve) => client.once('end', () => resolve()))
}

/** The login begins with limits, and the user of the gateway ends its session. */
async function expectLimits(db: TestDatabase['db'], reader: string, database: string): Promise<void> {
  const client = new pg.Client({ ...server, user: reader, database })
  const ended = endOf(client)
  await client.on('error', () => {}).connect()
  const { rows } = await client.query(`select current_setting('jit') as jit, current_setting('search_path') as path`)
  expect(rows).toEqual([{ jit: 'off', path: 'report' }])
  await client.query('begin read write; select pg_current_xact_id()')
  await expect.poll(() => endReportSessions(db, 0)).toMatchObject([{ user: reader, database }])
  await ended
}

describe('catalog report-user', () => {
  it('adds stores, lists logins, and removes one, which sees nothing from then on', async () => {
    expect(await catalog(['add', name, '--store', fixture.foreign])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `${name}: the login exists and keeps its password\n`,
    })
    const stores = [fixture.own, fixture.foreign].sort()
    const { rows } = await user.query('select store_uuid from stores order by 1')
    expect(rows.map(({ store_uuid }) => store_uuid)).toEqual(stores)
    const list = await catalog(['list', '--json'])
    expect(JSON.parse(list.stdout)).toEqual({ users: [{ name, stores, exists: true }] })
    expect(await catalog(['remove', name])).toMatchObject({ code: 0, stderr: `removed ${name}\n` })
    await expect(user.query('select * from products')).rejects.toThrow(/permission denied|does not exist/)
    await expect(login()).rejects.toThrow(/does not exist/)
    expect(await catalog(['remove', name])).toMatchObject({ code: 1, stderr: `there is no report user "${name}"\n` })
  })

  it.each([
    [['Bad Name', '--store', 'OWN'], /the name must be up to 63/],
    [['pg_reader', '--store', 'OWN'], /not with pg_/],
    [['good', '--store', randomUUID()], /there is no store/],
    [['good', '--store', 'no-uuid'], /there is no store/],
    [['good'], /name at least one store/],
  ])('refuses %j', async (args, message) => {
    const given = args.map((arg) => (arg === 'OWN' ? fixture.own : arg))
    expect(await catalog(['add', ...given])).toMatchObject(refusal(message))
  })

  it('needs a server that others can connect to', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'report-users-'))
    const add = ['report-user', 'add', 'good', '--store', fixture.own]
    expect(await runCli(add, { DATABASE_URL: '', DATA_DIR: folder.path })).toMatchObject(
      refusal(/no other program can connect to the embedded database: move the catalogue/, 1),
    )
  })

  it('gives no store to a login that has other rights', async () => {
    const outcome = await catalog(['add', server.user, '--store', fixture.own])
    expect(outcome).toMatchObject(refusal(/has more rights than .* choose another name/, 1))
  })

  it('says what to do where the user may not create roles, and then grants', async () => {
    const reader = `reader_${randomUUID().slice(0, 8)}`
    onTestFinished(async () => void (await admin.query(`drop role if exists ${reader}`)))
    const { db, name: owner } = await databaseOfUser()
    await migrate(db)
    const store = await storeIn(wholeCatalogue(db))
    const url = databaseUrl({ ...server, user: owner, database: owner })
    const { code, stderr } = await catalog(['add', reader, '--store', store], url)
    expect(code).toBe(1)
    const statement = /let one who may run "([^"]*)", then repeat this command/.exec(stderr)?.[1] ?? ''
    expect(statement).toMatch(/^create role/)
    await admin.query(statement)
    expect(await catalog(['add', reader, '--store', store], url)).toMatchObject({ code: 0, stdout: '' })
    const seen = await queryOnce({ ...server, user: reader, database: owner }, 'select store_uuid from report.stores')
    expect(seen.rows).toEqual([{ store_uuid: store }])
    await expectLimits(db, reader, owner)
    const removed = await catalog(['remove', reader], url)
    expect(removed.stderr).toContain(`"drop role ${reader}" deletes it`)
  })

  describe('where PUBLIC may create in the schema public, as by default up to PostgreSQL 14', () => {
    const open = 'grant create on schema public to public'
    const close = 'revoke create on schema public from public'

    /** A migrated database of a user who owns the schema, or who may not change it. */
    async function openDatabase(ownsSchema: boolean) {
      const { db, name: owner } = await databaseOfUser('createrole')
      const asAdmin = (statement: string) => queryOnce({ ...server, database: owner }, statement)
      if (!ownsSchema) await asAdmin(`alter schema public owner to ${server.user}`)
      await asAdmin(open)
      await migrate(db)
      const catalogue = wholeCatalogue(db)
      const store = await storeIn(catalogue)
      const url = databaseUrl({ ...server, user: owner, database: owner })
      const login = `reader_${randomUUID().slice(0, 8)}`
      onTestFinished(async () => void (await admin.query(`drop role if exists ${login}`)))
      onTestFinished(async () => void (await asAdmin(`drop owned by ${login}`).catch(() => {})))
      const asLogin = (statement: string) => queryOnce({ ...server, user: login, database: owner }, statement)
      return { catalogue, store, url, login, asLogin, asAdmin }
    }

    const plant = `begin read write; create function public.unnest(text[]) returns setof text language plpgsql as
        $$ begin raise exception 'called as %', current_user; end $$;
      commit`

    it('takes that right away, so that the gateway calls no function of a report user', async () => {
      const { catalogue, store, url, login, asLogin } = await openDatabase(true)
      expect(await catalog(['add', login, '--store', store], url)).toMatchObject({ code: 0 })
      await expect(asLogin(plant)).rejects.toThrow('permission denied for schema public')
      await expectLimits(catalogue.db, login, new URL(url).pathname.slice(1))
      await inTransaction(catalogue, (within) => upsertProducts(within, store, [{ productCode: 'A' }]))
    })

    it('refuses report users until an administrator has taken it away, and `check` says how', async () => {
      const { store, url, login, asAdmin } = await openDatabase(false)
      const add = ['add', login, '--store', store]
      expect(await catalog(add, url)).toMatchObject(refusal(new RegExp(`let its administrator run "${close}"`), 1))
      const check = () => runCli(['check'], { DATABASE_URL: url })
      expect(await check()).toMatchObject({ code: 1, stdout: expect.stringContaining(`run "${close}"`) })
      await asAdmin(close)
      expect(await check()).toMatchObject({ code: 0 })
      expect(await catalog(add, url)).toMatchObject({ code: 0 })
      await asAdmin(`grant create on schema public to ${login}`)
      expect(await check()).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(`run "revoke create on schema public from ${login}"`),
      })
    })

    it('gives no store to a login that has a function there', async () => {
      const { store, url, login, asLogin, asAdmin } = await openDatabase(false)
      await asAdmin(`create role ${login} login`)
      await asLogin(plant)
      await asAdmin(close)
      const outcome = await catalog(['add', login, '--store', store], url)
      expect(outcome).toMatchObject(refusal(/has more rights than .* choose another name/, 1))
    })
  })
})
