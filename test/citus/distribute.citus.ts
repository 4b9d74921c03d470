import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCli, runCliProcess } from '../support/clients/cli.ts'
import { citusNodes } from '../support/database/citus.ts'
import { createTestDatabase, useDatabase } from '../support/database/database.ts'
import { tables } from '../support/database/one-store.ts'
import { queryOnce } from '../support/database/sql-client.ts'
import { useFolder } from '../support/folder.ts'
import { makeNextRelease } from '../support/servers/next-release.ts'

it('distributes new tables, and finds that each operation needs one server', async () => {
  await using database = await createTestDatabase({ empty: true })
  const catalog = (...args: string[]) => runCli(args, { DATABASE_URL: database.url })
  expect(await catalog('migrate')).toMatchObject({ code: 0 })
  const { code, stdout, stderr } = await catalog('distribute', '--apply')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^2 servers hold stores: distributed attribute_definition, /)
})

it('an owner who is no superuser migrates and distributes a database', async () => {
  const database = await createTestDatabase({ empty: true })
  const owner = `owner_${randomUUID().replaceAll('-', '')}`
  const nodes = await citusNodes()
  const onEach = async (statements: string) => {
    for (const node of nodes) await queryOnce({ ...database.direct, ...node }, statements)
  }
  onTestFinished(async () => {
    await database.drop()
    await queryOnce({ ...database.direct, database: 'postgres' }, `drop role ${owner}`)
  })
  // Citus creates the role on its servers, too.
  await queryOnce(database.direct, `create role ${owner} login; grant catalogue_tenant to ${owner}`)
  await onEach(`set citus.enable_ddl_propagation = off; alter schema public owner to ${owner};
    alter database ${database.direct.database} owner to ${owner}`)
  const DATABASE_URL = database.url.replace(/\/\/\w+@/, `//${owner}@`)
  expect(await runCli(['migrate'], { DATABASE_URL })).toMatchObject({ code: 0 })
  expect(await runCli(['distribute', '--apply'], { DATABASE_URL })).toMatchObject({ code: 0, stderr: '' })
})

it('a command on a worker says that the coordinator is needed', async () => {
  await using database = await createTestDatabase({ empty: true })
  const DATABASE_URL = database.url.replace(/:\d+\//, `:${(await citusNodes()).at(-1)?.port}/`)
  expect(await runCli(['migrate'], { DATABASE_URL })).toMatchObject({
    code: 1,
    stderr: 'catalog: the server is a worker of Citus: set DATABASE_URL to the coordinator\n',
  })
})

/** What a release may do to a distributed table. */
const migration = `
alter table product add column note text not null default '';
alter table product add constraint product_note_check check (length(note) < 100);
create index product_by_note on product (store_uuid, note) where note <> '';
alter table change drop constraint change_kind_check;
alter table change add constraint change_kind_check check (kind <> '') not valid;
`

describe('catalog distribute', () => {
  const database = useDatabase()
  const folder = useFolder()
  const catalog = (...args: string[]) => runCli(args, { DATABASE_URL: database.url })
  const run = (...args: string[]) => catalog('distribute', ...args)
  const applied = (distributed: string[]) => ({
    code: 0,
    stdout: `${JSON.stringify({ applied: true, servers: 2, distributed })}\n`,
    stderr: '',
  })
  /** The tables of Citus. */
  const citusTables = async () => {
    const { rows } = await sql`
      select citus_table_type as type, array_agg(table_name::text order by table_name::text collate "C") as tables
      from citus_tables where table_name not in (select inhrelid from pg_inherits)
      group by citus_table_type, colocation_id order by 1`.execute(database.db)
    return rows
  }
  const all = [{ type: 'distributed', tables: tables.distributed.toSorted() }]
  /** Makes a table what a migration makes: a local one. */
  const undo = async (table: string) => {
    await sql`select undistribute_table(${table}::text::regclass)`.execute(database.db)
    await sql`alter policy own_stores on ${sql.table(table)} using (
      store_uuid in (select unnest(current_setting('catalogue.stores')::uuid[])))`.execute(database.db)
  }

  it('distributes the stores once, and finds that each operation needs one server', async () => {
    expect(await run('--apply', '--json')).toEqual(applied([]))
    expect((await run()).stdout).toBe('2 servers hold stores: all tables are distributed already\n')
    expect(await citusTables()).toEqual(all)
  })

  it('distributes the tables that are not distributed yet, with their rows', async () => {
    const row = sql`values (gen_random_uuid(), 'products', '', 'day', now(), 1)`
    await sql`insert into measure (store_uuid, metric, dimension, grain, at, value) ${row}`.execute(database.db)
    for (const table of ['measure', 'channel_readiness']) await undo(table)
    expect(await citusTables()).not.toEqual(all)
    expect((await run()).stdout).toBe('2 servers hold stores: would distribute channel_readiness, measure\n')
    expect(await run('--apply', '--json')).toEqual(applied(['channel_readiness', 'measure']))
    expect(await citusTables()).toEqual(all)
    expect((await sql`select value from measure`.execute(database.db)).rows).toEqual([{ value: '1' }])
    expect(await run('--apply', '--json')).toEqual(applied([]))
  })

  it('a migration changes distributed tables, and distributes those that it adds', async () => {
    await undo('product_gap')
    const program = await makeNextRelease(await folder.newFolder('next'), migration)
    expect(await runCliProcess(['migrate', '--json'], { DATABASE_URL: database.url }, program)).toMatchObject({
      code: 0,
      stdout: '{"migrations":["9999-next","write-products","table-access"]}\n',
    })
    const add = (note: string) =>
      sql`insert into product (store_uuid, product_code, status, attributes, note)
        values (gen_random_uuid(), 'A', 'new', '{}', ${note})`.execute(database.db)
    await add('short')
    await expect(add('x'.repeat(100))).rejects.toThrow('product_note_check')
    expect(await citusTables()).toEqual(all)
  })

  it('a migration installs what a server runs again when its text has changed', async () => {
    await sql`drop function run_on_server`.execute(database.db)
    await sql`update migration set checksum = 'of another text' where name = 'run-in-store'`.execute(database.db)
    expect(await catalog('migrate', '--json')).toMatchObject({
      stdout: '{"migrations":["run-in-store","table-access"]}\n',
    })
    const { rows } = await sql`select result from run_command_on_all_nodes(
      $$ select count(*) from pg_dist_object where objid = to_regproc('run_on_server') and force_delegation $$)`.execute(
      database.db,
    )
    expect(rows).toEqual([{ result: '1' }, { result: '1' }, { result: '1' }])
  })

  it('`catalog check` names the kind of database', async () => {
    const { stdout } = await runCli(['check', '--json'], { DATABASE_URL: database.url })
    expect(JSON.parse(stdout)).toMatchObject({ database: 'citus', differences: [] })
  })
})
