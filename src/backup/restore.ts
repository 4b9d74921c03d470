import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import { resetLedger } from '../database/change-days.ts'
import { type OwnConnection, withOwnConnection } from '../database/connection/own-connection.ts'
import { findKind } from '../database/kind.ts'
import type { Database } from '../database/tables.ts'
import { codeOf, isUnavailable } from '../database/unavailable.ts'
import { parsedJson, shown } from '../text.ts'
import { BackupReader, damaged } from './backup-reader.ts'
import { beginning, ending, endLine, type Header, headerShape, type RowCounts, rebuilding, tables } from './format.ts'

/**
 * Restores a backup into a database without stores, in one transaction: all of it, or nothing. The tokens and the
 * idempotency keys of the database are replaced by those of the backup. Throws an error with a sentence that says what
 * is wrong with the file or the database, and what to do.
 */
export async function restore(db: Kysely<Database>, path: string): Promise<RowCounts> {
  const isOnCitus = (await findKind(db)) === 'citus'
  const file = createReadStream(path, { highWaterMark: 256 * 1024 })
  const text = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file
  try {
    const reader = new BackupReader(path, text)
    const header = await readHeader(reader)
    return await withOwnConnection(db, (own) =>
      own.db.transaction().execute(async (transaction) => {
        // `analyze` needs one connection of Citus to each server, also to the coordinator.
        await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(transaction)
        await sql`set local citus.enable_local_execution = off`.execute(transaction)
        await requireSuitable(transaction, header)
        await resetLedger(transaction)
        return readTables(reader, own, transaction)
      }),
    )
  } catch (error) {
    throw isFaultOfFile(error, isOnCitus) ? damaged(path, `: ${error.message}`) : error
  } finally {
    file.destroy()
  }
}

async function readHeader(reader: BackupReader): Promise<Header> {
  const line = await reader.line()
  const { data } = headerShape.safeParse(parsedJson(line.replace(/^-- /, '')))
  if (data) return data
  const expected = 'expected the first line of a backup of this format, -- {"catalogue_backup":1,…}'
  throw new Error(`${reader.path} cannot be restored: ${expected}; got ${shown(line)}`)
}

async function requireSuitable(db: Kysely<Database>, { migrations, version }: Header): Promise<void> {
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
  // No gateway creates a store until the end of the transaction.
  await sql`lock table store in share row exclusive mode`.execute(db)
  const { stores } = await db
    .selectFrom('store')
    .select(({ fn }) => fn.countAll<string>().as('stores'))
    .executeTakeFirstOrThrow()
  if (stores === '0') return
  const advice = 'create another one, run "catalog migrate" on it, and restore there'
  throw new Error(`expected a database without stores; it has ${stores}: ${advice}`)
}

async function readTables(reader: BackupReader, own: OwnConnection, db: Kysely<Database>): Promise<RowCounts> {
  const rows: RowCounts = {}
  await reader.expect(beginning, `the line ${shown(beginning)}`)
  for (const table of tables) {
    const line = await reader.line()
    const [, name, columns] = /^copy (\w+) \(([\w", ]+)\) from stdin;$/.exec(line) ?? []
    if (name !== table) throw damaged(reader.path, `: expected the rows of ${table}; got ${shown(line)}`)
    await sql`delete from ${sql.table(table)}`.execute(db)
    rows[table] = await reader.copyRows((text) => own.copyIn(`${table} (${columns})`, text))
  }
  await reader.expect(rebuilding, `the line ${shown(rebuilding)}`)
  await reader.expect(ending, `the line ${shown(ending)}`)
  await reader.expect(endLine(rows, reader.digest()), 'the end line with the numbers and the SHA-256 of what was read')
  await reader.expectEnd()
  await moveBeforeLedger(db)
  await db.executeQuery(CompiledQuery.raw(rebuilding))
  await sql`analyze ${sql.join(tables.map((table) => sql.table(table)))}`.execute(db)
  return rows
}

/**
 * The clock of the server that made the backup may have been ahead. What was changed since the beginning of the ledger,
 * which is that of this transaction, must be in it: products that were not are missing from lists by their last change.
 */
async function moveBeforeLedger(db: Kysely<Database>): Promise<void> {
  const latest = sql`now() - interval '1 microsecond'`
  await sql`
    update product set created_at = least(created_at, ${latest}), updated_at = ${latest}
    where updated_at > ${latest}`.execute(db)
}

/**
 * Whether the file caused the error: decompression, or data and constraints in PostgreSQL. Citus reports all errors of
 * a COPY to another server as internal ones.
 */
function isFaultOfFile(error: unknown, isOnCitus: boolean): error is Error {
  if (!(error instanceof Error) || isUnavailable(error)) return false
  return /^(Z_|22|23)/.test(codeOf(error)) || (isOnCitus && codeOf(error) === 'XX000')
}
