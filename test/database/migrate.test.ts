import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { connect } from '../../src/database/connection/connect.ts'
import { lockNumber, migrate, newerScripts } from '../../src/database/migrate.ts'
import { useDatabase } from '../support/database/database.ts'
import { root } from '../support/sources.ts'

/** These, in this order, come first: databases have run them. */
const first = [
  '0001-catalogue',
  '0002-access',
  '0003-jobs',
  '0004-idempotency-and-rate-limits',
  '0005-changes',
  '0006-projections',
  '0007-report',
  '0008-product-index',
  '0009-webhooks',
]
const files = readdirSync(join(root, 'src/database/migrations')).map((name) => basename(name, '.sql'))
const later = files.filter((name) => !first.includes(name)).toSorted()
const all = [...first, ...later, 'record-changes', 'write-products', 'run-in-store', 'table-access']

describe('on an empty database, migrate', () => {
  const database = useDatabase({ empty: true }, 'each')

  it('runs every script once, however many gateways start at once', async () => {
    const { db } = database
    const ran = await Promise.all([migrate(db), migrate(db), migrate(db)])
    expect(ran.flat()).toEqual(all)
    expect(await migrate(db)).toEqual([])
  })

  it('changes nothing when a script fails', async () => {
    const { db } = database
    await sql`create table job (job_id uuid)`.execute(db)
    await expect(migrate(db)).rejects.toThrow('relation "job" already exists')
    const { rows } = await sql`select to_regclass('store') is null as without_store`.execute(db)
    expect(rows).toEqual([{ without_store: true }])
  })

  it('waits for another migration longer than a request may wait', async () => {
    await using other = await database.client()
    const deadlines = { statement_timeout: 200, lock_timeout: 100, query_timeout: 300 }
    await using db = connect({ ...database.connection, ...deadlines }, () => {})
    await other.query('select pg_advisory_lock($1)', [lockNumber])
    const unlock = async () => {
      await sleep(1_000)
      return other.query('select pg_advisory_unlock($1) as unlocked', [lockNumber])
    }
    const [applied, { rows }] = await Promise.all([migrate(db), unlock()])
    expect(applied).toEqual(all)
    expect(rows).toEqual([{ unlocked: true }])
  })
})

describe('on a migrated database, migrate', () => {
  const database = useDatabase({}, 'each')

  it('installs a function again when its text has changed, and grants it, also beside one of that name', async () => {
    const { db } = database
    await sql`alter default privileges revoke execute on functions from public`.execute(db)
    await sql`drop function write_products(uuid, jsonb, jsonb)`.execute(db)
    await sql`create function write_products(uuid) returns void language sql begin atomic select; end`.execute(db)
    await sql`update migration set checksum = 'of another text' where name = 'write-products'`.execute(db)
    expect(await migrate(db)).toEqual(['write-products', 'table-access'])
    const { rows } = await sql`
      select has_function_privilege('catalogue_tenant', 'write_products(uuid, jsonb, jsonb)', 'execute') as granted`.execute(
      db,
    )
    expect(rows).toEqual([{ granted: true }])
  })

  it('leaves a database of a newer version alone', async () => {
    const { db } = database
    expect(await newerScripts(db)).toEqual([])
    await sql`insert into migration (name, checksum, version) values ('0005-of-the-future', 'x', '9.0.0')`.execute(db)
    expect(await migrate(db)).toEqual([])
    expect(await newerScripts(db)).toEqual(['0005-of-the-future'])
  })

  it.each([
    ['0.0.9', ['write-products', 'table-access'], []],
    ['0.1.0', ['write-products', 'table-access'], []],
    ['0.2.0', [], ['write-products']],
    ['0.10.0', [], ['write-products']],
  ])('installs its function over that of the version %s: %j', async (version, installed, newer) => {
    const { db } = database
    await sql`update migration set checksum = 'of another text', version = ${version} where name = 'write-products'`.execute(
      db,
    )
    expect(await migrate(db)).toEqual(installed)
    expect(await newerScripts(db)).toEqual(newer)
  })

  it('says in one sentence that a database from before the first release, or with other migrations, cannot be used', async () => {
    const { db } = database
    await sql`update migration set checksum = 'of another text' where name = '0001-catalogue'`.execute(db)
    await expect(migrate(db)).rejects.toThrow(
      'the migration 0001-catalogue has changed since it ran: a version before the first release created the database: use a new, empty one',
    )
    await sql`create table kysely_migration (name text, timestamp text)`.execute(db)
    await expect(migrate(db)).rejects.toThrow(
      'the database was created by a version before the first release: use a new, empty database',
    )
  })
})
