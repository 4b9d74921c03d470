import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import { type OwnConnection, withOwnConnection } from '../database/connection/own-connection.ts'
import { scriptNames } from '../database/migrate.ts'
import type { Database } from '../database/tables.ts'
import { ownVersion } from '../database/version.ts'
import {
  beginning,
  copyLine,
  countLines,
  ending,
  endLine,
  endOfRows,
  headerLine,
  type RowCounts,
  rebuilding,
  tables,
} from './format.ts'

/**
 * Writes a consistent copy of the catalogue to a new file while gateways run. The file contains hashes of tokens: only
 * its owner may read it.
 */
export async function backUp(db: Kysely<Database>, path: string, isCompressed: boolean): Promise<RowCounts> {
  const rows: RowCounts = {}
  await withOwnConnection(db, (own) => {
    const compression = isCompressed ? [createGzip({ level: 1 })] : []
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
    return pipeline([Readable.from(backupOf(own, rows)), ...compression, file])
  })
  return rows
}

/** The text of a backup; puts the number of rows of each table into `rows`. */
async function* backupOf(own: OwnConnection, rows: RowCounts): AsyncGenerator<string | Buffer> {
  const hash = createHash('sha256')
  for await (const part of scriptOf(own, rows)) {
    hash.update(part)
    yield part
  }
  yield `${endLine(rows, hash.digest('hex'))}\n`
}

async function* scriptOf({ db, copyOut }: OwnConnection, rows: RowCounts): AsyncGenerator<string | Buffer> {
  // Not committed: the end of the connection ends the transaction, also in the middle of a table.
  const transaction = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  // Row-level security raises an error instead of hiding rows. Citus reads each server in one transaction.
  await sql`select set_config('row_security', 'off', true), set_config('datestyle', 'ISO', true),
    set_config('citus.multi_shard_modify_mode', 'sequential', true)`.execute(transaction)
  yield `${await header(transaction)}\n${beginning}\n`
  for (const table of tables) {
    const columns = await columnsOf(transaction, table)
    yield `${copyLine(table, columns)}\n`
    rows[table] = 0
    // `copy` of a table by its name does not read partitions.
    for await (const part of await copyOut(`(select ${columns} from ${table})`)) {
      rows[table] += countLines(part as Buffer)
      yield part as Buffer
    }
    yield `${endOfRows}\n`
  }
  yield `${rebuilding}\n${ending}\n`
}

async function header(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ now: Date; migrations: string[] }>`
    select now(), array(select name from migration order by name) as migrations`.execute(db)
  const [{ now, migrations } = { now: new Date(), migrations: [] }] = rows
  const known = scriptNames()
  const unknown = migrations.filter((name) => !known.includes(name))
  // There may be tables that the backup would lack.
  if (unknown.length > 0) {
    throw new Error(`a newer version has migrated the database (${unknown.join(', ')}): back it up with that version`)
  }
  return headerLine({ catalogue_backup: 1, version: ownVersion(), migrations, created_at: now.toISOString() })
}

/** A table's columns but the generated ones. */
async function columnsOf(db: Kysely<Database>, table: string): Promise<string> {
  const { rows } = await sql<{ columns: string }>`
    select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(db)
  return rows[0]?.columns ?? ''
}
