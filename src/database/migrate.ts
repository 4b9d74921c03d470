import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { migrateQueue } from './job-queue.ts'
import type { Database } from './tables.ts'

/** Run once each, in this order. From the first release on, migrations are only added. */
const versioned = [
  'migrations/0001-catalogue.sql',
  'migrations/0002-access.sql',
  'migrations/0003-jobs.sql',
  'migrations/0004-idempotency-and-rate-limits.sql',
]

/** Run after the migrations, and again whenever their text has changed. */
const repeatable = ['../catalogue/products/merge-products.sql']

export const lockNumber = 4_011_850_361

type Script = Awaited<ReturnType<typeof readScript>>

/** Brings tables and functions up to date, in one transaction. Returns the names of the scripts that it ran. */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  const scripts = await Promise.all([
    ...versioned.map((path) => readScript(path, false)),
    ...repeatable.map((path) => readScript(path, true)),
  ])
  if ((await dueAmong(scripts, db)).length === 0) return []
  const { withOwnConnection } = await import('./own-connection.ts')
  // A migration of large tables, or the wait for another gateway's, may take longer than a request.
  return withOwnConnection(db, async ({ db: own }) => {
    await migrateQueue(own)
    return own.transaction().execute(async (transaction) => {
      await sql`set local lock_timeout = 0`.execute(transaction)
      await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction)
      const due = await dueAmong(scripts, transaction)
      for (const script of due) await run(script, transaction)
      return due.map(({ name }) => name)
    })
  })
}

async function readScript(path: string, isRepeatable: boolean) {
  const text = await readFile(new URL(path, import.meta.url), 'utf8')
  return { name: basename(path, '.sql'), text, checksum: hash('sha256', text), isRepeatable }
}

/** The scripts that have to run, in their order. Throws if the tables are not this service's. */
async function dueAmong(scripts: readonly Script[], db: Kysely<Database>): Promise<Script[]> {
  const { rows } = await sql<{ migrated: boolean; unreleased: boolean }>`
    select to_regclass('migration') is not null as migrated, to_regclass('kysely_migration') is not null as unreleased`.execute(
    db,
  )
  if (rows[0]?.unreleased) {
    throw new Error('the database was created by a version before the first release: use a new, empty database')
  }
  if (!rows[0]?.migrated) return [...scripts]
  const ran = await sql<{ name: string; checksum: string }>`select name, checksum from migration`.execute(db)
  const checksums = new Map(ran.rows.map(({ name, checksum }) => [name, checksum]))
  const differing = scripts.filter(({ name, checksum }) => checksums.get(name) !== checksum)
  const changed = differing.find(({ name, isRepeatable }) => !isRepeatable && checksums.has(name))
  if (changed) {
    const advice = 'a version before the first release created the database: use a new, empty one'
    throw new Error(`the migration ${changed.name} has changed since it ran: ${advice}`)
  }
  return differing
}

async function run({ name, text, checksum }: Script, transaction: Kysely<Database>): Promise<void> {
  await sql`create table if not exists migration (
    name text primary key, checksum text not null, ran_at timestamptz not null default now()
  )`.execute(transaction)
  // Without parameters PostgreSQL takes several statements at once.
  await sql.raw(text).execute(transaction)
  await sql`insert into migration (name, checksum) values (${name}, ${checksum})
    on conflict (name) do update set checksum = excluded.checksum, ran_at = now()`.execute(transaction)
}
