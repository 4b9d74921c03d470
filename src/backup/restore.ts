import { CompiledQuery, type Kysely, sql, type Transaction } from 'kysely'
import { type OwnConnection, withOwnConnection } from '../database/connection/own-connection.ts'
import { resetLedger } from '../database/ledger.ts'
import { namesOf } from '../database/registry/table-registry.ts'
import type { Database } from '../database/tables.ts'
import { codeOf } from '../database/unavailable.ts'
import { shown } from '../text.ts'
import { damaged } from './backup-reader.ts'
import { type Header, preparing, type RowCounts, rebuilding, tablesOf, takeOver } from './format.ts'
import { type BackupContent, type OnPart, onlyRead, readBackup } from './read-backup.ts'

export interface RestoreOptions {
  /** The only store to restore, beside others. A backup of one store has no more. */
  storeUuid?: string | undefined
  onStore?: (done: number, all: number) => void
}

/**
 * Restores a backup, each store in a transaction, after the whole file has been read once to verify it: all stores into
 * a database without others, and then its tokens and idempotency keys, which replace those of the database; or one
 * store beside others. After an interruption a repetition goes on with the next store. Throws an error with a sentence
 * that says what is wrong with the file or the database, and what to do.
 */
export async function restore(db: Kysely<Database>, path: string, options: RestoreOptions = {}): Promise<RowCounts> {
  const content = await readBackup(path, onlyRead).catch((error: Error) => {
    // A compressed file that ends early, or is none.
    throw codeOf(error).startsWith('Z_') ? damaged(path, `: ${error.message}`) : error
  })
  const { header, parts } = content
  const storeUuid = options.storeUuid ?? (header.recorded_since === undefined ? undefined : parts[0])
  return withOwnConnection(db, async (own) => {
    await requireMigrations(own.db, header)
    if (storeUuid !== undefined) return restoreStore(own, path, content, storeUuid)
    await restoreAll(own, path, content, options.onStore)
    return content.rows
  })
}

async function restoreStore(own: OwnConnection, path: string, { header, parts }: BackupContent, storeUuid: string) {
  if (!parts.includes(storeUuid)) throw new Error(`${path} has no store ${storeUuid}`)
  let rows: RowCounts = {}
  const [prepare = takeOver(storeUuid, 'now()')] = preparing(header, storeUuid)
  await readBackup(path, async (part, readRows) => {
    if (part !== storeUuid) return onlyRead(part, readRows)
    rows = await inSequentialTransaction(own, async (transaction) => {
      await requireNoMark(transaction)
      const found = transaction.selectFrom('store').select('store_uuid').where('store_uuid', '=', storeUuid)
      if (await found.executeTakeFirst()) throw new Error(`the database has the store ${storeUuid} already`)
      await transaction.executeQuery(CompiledQuery.raw(prepare))
      return copyStore(own, transaction, storeUuid, readRows)
    })
  })
  return rows
}

async function restoreAll(
  own: OwnConnection,
  path: string,
  { parts, sha256 }: BackupContent,
  onStore: RestoreOptions['onStore'],
): Promise<void> {
  const stores = parts.filter((part) => part !== undefined)
  const restored = await inSequentialTransaction(own, (transaction) => begin(transaction, `restoring ${sha256}`))
  await readBackup(path, async (part, readRows) => {
    if (part === undefined) await inSequentialTransaction(own, (transaction) => finish(own, transaction, readRows))
    else if (restored.has(part)) await onlyRead(part, readRows)
    else await inSequentialTransaction(own, (transaction) => copyStore(own, transaction, part, readRows))
    if (part !== undefined) onStore?.(stores.indexOf(part) + 1, stores.length)
  })
}

const foundMark = sql<string | null>`obj_description('store'::regclass)`

/** A repetition of the other restore would take a store for one of its own. */
async function requireNoMark(db: Transaction<Database>): Promise<void> {
  await sql`lock table store in row exclusive mode`.execute(db)
  const { rows } = await sql<{ found: string | null }>`select ${foundMark} as found`.execute(db)
  if (rows[0]?.found != null) throw restoredInPart()
}

function restoredInPart(): Error {
  return new Error('another backup was restored only in part: repeat that restore, or use another database')
}

/** Marks the database, and returns the stores that an interrupted restore of this file has restored. */
async function begin(db: Transaction<Database>, mark: string): Promise<ReadonlySet<string>> {
  // No gateway creates a store meanwhile.
  await sql`lock table store in share row exclusive mode`.execute(db)
  const { rows } = await sql<{ found: string | null; stores: string[] }>`
    select ${foundMark} as found, array(select store_uuid::text from store) as stores`.execute(db)
  const [{ found, stores } = { found: null, stores: [] }] = rows
  if (found === mark) return new Set(stores)
  if (stores.length > 0) {
    if (found !== null) throw restoredInPart()
    const advice = 'create another one, run "catalog migrate" on it, and restore there; or restore single stores'
    throw new Error(`expected a database without stores; it has ${stores.length}: ${advice}`)
  }
  await db.executeQuery(CompiledQuery.raw(`comment on table store is '${mark}'`))
  return new Set()
}

type ReadRows = Parameters<OnPart>[1]

async function copyStore(own: OwnConnection, db: Transaction<Database>, store: string, readRows: ReadRows) {
  const rows = await readRows(own.copyIn)
  // The clock of the server that made the backup may have been ahead. What was changed since the beginning of the
  // ledger must be in it: products that were not are missing from lists by their last change.
  const latest = sql`now() - interval '1 microsecond'`
  await sql`
    update product set created_at = least(created_at, ${latest}), updated_at = ${latest}
    where store_uuid = ${store} and updated_at > ${latest}`.execute(db)
  await db.executeQuery(CompiledQuery.raw(rebuilding(store)))
  return rows
}

async function finish(own: OwnConnection, db: Transaction<Database>, readRows: ReadRows): Promise<void> {
  for (const table of tablesOf(undefined, {})) await sql`delete from ${sql.table(table)}`.execute(db)
  await readRows(own.copyIn)
  await resetLedger(db)
  const filled = namesOf(({ backedUp }) => backedUp)
  await sql`analyze ${sql.join(filled.map((table) => sql.table(table)))}`.execute(db)
  await sql`comment on table store is null`.execute(db)
}

function inSequentialTransaction<T>(
  { db }: OwnConnection,
  work: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    // `analyze` needs one connection of Citus to each server, also to the coordinator.
    await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(transaction)
    await sql`set local citus.enable_local_execution = off`.execute(transaction)
    return work(transaction)
  })
}

async function requireMigrations(db: Kysely<Database>, { migrations, version }: Header): Promise<void> {
  const ran = await sql<{ name: string }>`select name from migration order by name`.execute(db)
  const names = ran.rows.map(({ name }) => name)
  const lacking = migrations.filter((name) => !names.includes(name))
  const unknown = names.filter((name) => !migrations.includes(name))
  const source = `the backup, which version ${shown(version)} wrote`
  if (lacking.length > 0) {
    const advice = 'run "catalog migrate" of that version or a newer one first'
    throw new Error(`the database lacks migrations of ${source}: ${lacking.map(shown).join(', ')}; ${advice}`)
  }
  if (unknown.length > 0) {
    const advice = 'restore it with that version into a new database, then migrate that one'
    throw new Error(`the database has migrations that are not in ${source}: ${unknown.join(', ')}; ${advice}`)
  }
}
