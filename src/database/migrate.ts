import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { migrateDistributed } from './citus/distribute.ts'
import { splitStatements } from './citus/split-statements.ts'
import { migrateQueue } from './job-queue.ts'
import { findKind } from './kind.ts'
import { findPartitions, partitioned } from './partitions.ts'
import { tableAccess } from './registry/table-access.ts'
import type { Database } from './tables.ts'
import { codeOf } from './unavailable.ts'
import { ownVersion } from './version.ts'

/** Run once each, in the order of their names. From the first release on, migrations are only added. */
function versioned(): string[] {
  const files = readdirSync(new URL('migrations/', import.meta.url)).filter((name) => name.endsWith('.sql'))
  return files.toSorted().map((name) => `migrations/${name}`)
}

/** Run after the migrations, and again whenever their text has changed, unless a newer version has run its own. */
const repeatable = [
  '../catalogue/changes/record-changes.sql',
  '../catalogue/products/write-products.sql',
  'citus/run-in-store.sql',
]

/** The last of the repeatable scripts. */
const tableAccessName = 'table-access'

export const lockNumber = 4_011_850_361

/** While a migration waits for a lock on a table, all requests to the table wait too: it gives up soon and retries. */
const lockTimeoutMs = 500
const pauseMs = 2_000
const maxAttempts = 300

type Script = Awaited<ReturnType<typeof readScripts>>[number]

/**
 * Brings tables and functions up to date, in one transaction. Returns the names of the scripts that it ran. Creates the
 * large tables of a new database with so many `partitions`, and later ones with as many as the tables have; throws if
 * these have another number. `onStep` gets a sentence when a script begins, and when there is something to wait for.
 */
export async function migrate(
  db: Kysely<Database>,
  partitions?: number,
  onStep: (sentence: string) => void = () => {},
): Promise<string[]> {
  const scripts = await readScripts()
  if (partitions) await findPartitions(db, partitions)
  if ((await dueAmong(scripts, db)).length === 0) return []
  const { withOwnConnection } = await import('./connection/own-connection.ts')
  // A migration of large tables, or the wait for another gateway's, may take longer than a request.
  return withOwnConnection(db, async ({ db: own }) => {
    await migrateQueue(own)
    const runDue = () =>
      own.transaction().execute(async (transaction) => {
        await lockMigrations(transaction, onStep)
        await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(transaction)
        const present = await findPartitions(transaction, partitions)
        const due = await dueAmong(scripts, transaction)
        const isDistributed = due.length > 0 && (await findKind(transaction)) === 'citus'
        const textsOf = ({ text }: Script) =>
          isDistributed ? splitStatements(text) : [present > 0 ? partitioned(text, present) : text]
        const runAll = async () => {
          for (const script of due) {
            onStep(`running ${script.name}`)
            await runScript(script, textsOf(script), transaction)
          }
        }
        await (isDistributed ? migrateDistributed(transaction, runAll) : runAll())
        return due.map(({ name }) => name)
      })
    for (let attempt = 1; ; attempt++) {
      try {
        return await runDue()
      } catch (error) {
        if (attempt === maxAttempts || !isLocked(error)) throw error
        onStep('other sessions lock the tables: trying again')
        await sleep(pauseMs)
      }
    }
  })
}

async function lockMigrations(transaction: Kysely<Database>, onStep: (sentence: string) => void): Promise<void> {
  await sql`set local lock_timeout = 0`.execute(transaction)
  const tried = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${lockNumber}) as locked`.execute(transaction)
  if (tried.rows[0]?.locked) return
  onStep('waiting for another migration')
  await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction)
}

/** The scripts that a newer version has run on a migrated database. */
export async function newerScripts(db: Kysely<Database>): Promise<string[]> {
  const names = scriptNames()
  const version = ownVersion()
  const isNewer = (script: Ran) => !names.includes(script.name) || isOlder(version, script.version)
  return (await findRan(db)).filter(isNewer).map(({ name }) => name)
}

export function scriptNames(): string[] {
  return [...[...versioned(), ...repeatable].map(scriptName), tableAccessName]
}

async function readScripts() {
  const version = ownVersion()
  const script = (name: string, text: string, isRepeatable: boolean) => {
    return { name, text, checksum: hash('sha256', text), version, isRepeatable }
  }
  const readScript = async (path: string, isRepeatable: boolean) =>
    script(scriptName(path), await readFile(new URL(path, import.meta.url), 'utf8'), isRepeatable)
  return Promise.all([
    ...versioned().map((path) => readScript(path, false)),
    ...repeatable.map((path) => readScript(path, true)),
    script(tableAccessName, tableAccess(), true),
  ])
}

function scriptName(path: string): string {
  return basename(path, '.sql')
}

function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0
}

/** lock_not_available and deadlock_detected. */
function isLocked(error: unknown): boolean {
  return ['55P03', '40P01'].includes(codeOf(error))
}

/** A script that ran, and the version of the service that ran it. */
interface Ran {
  name: string
  checksum: string
  version: string
}

async function findRan(db: Kysely<Database>): Promise<Ran[]> {
  return (await sql<Ran>`select name, checksum, version from migration order by name`.execute(db)).rows
}

/** The scripts that have to run, in their order. Throws if an unreleased version created the tables. */
async function dueAmong(scripts: readonly Script[], db: Kysely<Database>): Promise<Script[]> {
  const { rows } = await sql<{ migrated: boolean; unreleased: boolean }>`
    select to_regclass('migration') is not null as migrated, to_regclass('kysely_migration') is not null or exists (
      select from pg_class where oid = to_regclass('migration') and not exists (
        select from pg_attribute where attrelid = oid and attname = 'version')) as unreleased`.execute(db)
  if (rows[0]?.unreleased) {
    throw new Error('the database was created by a version before the first release: use a new, empty database')
  }
  if (!rows[0]?.migrated) return [...scripts]
  const ran = new Map((await findRan(db)).map((script) => [script.name, script]))
  const differing = scripts.filter(({ name, checksum }) => ran.get(name)?.checksum !== checksum)
  const changed = differing.find(({ name, isRepeatable }) => !isRepeatable && ran.has(name))
  if (changed) {
    const advice = 'a version before the first release created the database: use a new, empty one'
    throw new Error(`the migration ${changed.name} has changed since it ran: ${advice}`)
  }
  // A newer version's function works for this version too: two versions must not keep replacing each other's.
  const due = differing.filter(({ name, version }) => !isOlder(version, ran.get(name)?.version ?? ''))
  // The last one grants rights on what the others have made anew.
  return due.length > 0 ? scripts.filter((script) => script.name === tableAccessName || due.includes(script)) : []
}

async function runScript(
  { name, checksum, version }: Script,
  texts: readonly string[],
  transaction: Kysely<Database>,
): Promise<void> {
  await sql`create table if not exists migration (
    name text primary key, checksum text not null, version text not null, ran_at timestamptz not null default now()
  )`.execute(transaction)
  // Without parameters PostgreSQL takes several statements at once.
  for (const text of texts) await sql.raw(text).execute(transaction)
  await sql`insert into migration (name, checksum, version) values (${name}, ${checksum}, ${version})
    on conflict (name) do update set checksum = excluded.checksum, version = excluded.version, ran_at = now()`.execute(
    transaction,
  )
}
