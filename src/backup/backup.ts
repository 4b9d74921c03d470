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
import { storeNotFound } from '../errors.ts'
import {
  commit,
  copyLine,
  countLines,
  encoding,
  endLine,
  endOfRows,
  type Header,
  headerLine,
  ledger,
  type Part,
  partLine,
  positions,
  preparing,
  type RowCounts,
  rebuilding,
  tablesOf,
} from './format.ts'

/**
 * Writes a consistent copy of the catalogue to a new file while gateways run; of one store only, with its ledger, where
 * `storeUuid` is given. The file may contain hashes of tokens: only its owner may read it.
 */
export async function backUp(
  db: Kysely<Database>,
  path: string,
  { isCompressed, storeUuid }: { isCompressed: boolean; storeUuid?: string | undefined },
): Promise<RowCounts> {
  const rows: RowCounts = {}
  await withOwnConnection(db, (own) => {
    const compression = isCompressed ? [createGzip({ level: 1 })] : []
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
    return pipeline([Readable.from(backupOf(own, storeUuid, rows)), ...compression, file])
  })
  return rows
}

/** The text of a backup; puts the number of rows of each table into `rows`. */
async function* backupOf(own: OwnConnection, storeUuid: Part, rows: RowCounts): AsyncGenerator<string | Buffer> {
  const hash = createHash('sha256')
  for await (const part of scriptOf(own, storeUuid, rows)) {
    hash.update(part)
    yield part
  }
  yield `${endLine(rows, hash.digest('hex'))}\n`
}

async function* scriptOf(own: OwnConnection, storeUuid: Part, rows: RowCounts): AsyncGenerator<string | Buffer> {
  // Not committed: the end of the connection ends the transaction, also in the middle of a table.
  const transaction = await own.db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  // Row-level security raises an error instead of hiding rows. Citus reads each server in one transaction.
  await sql`select set_config('row_security', 'off', true), set_config('datestyle', 'ISO', true),
    set_config('citus.multi_shard_modify_mode', 'sequential', true)`.execute(transaction)
  const header = await readHeader(transaction, storeUuid)
  yield `${headerLine(header)}\n${encoding}\n`
  const stores = await transaction
    .selectFrom('store')
    .select('store_uuid')
    .$if(storeUuid !== undefined, (query) => query.where('store_uuid', '=', storeUuid ?? ''))
    .orderBy('store_uuid')
    .execute()
  if (storeUuid !== undefined && stores.length === 0) throw storeNotFound('store', storeUuid)
  const columns = await columnsOf(transaction)
  for (const { store_uuid } of stores) yield* textOf(store_uuid, header, columns, own, rows)
  if (storeUuid === undefined) yield* textOf(undefined, header, columns, own, rows)
}

async function* textOf(
  part: Part,
  header: Header,
  columnsByTable: ReadonlyMap<string, string>,
  { copyOut }: OwnConnection,
  rows: RowCounts,
): AsyncGenerator<string | Buffer> {
  yield [partLine(part), ...(part === undefined ? [] : preparing(header, part)), ''].join('\n')
  for (const table of tablesOf(part, header)) {
    const columns = columnsByTable.get(table) ?? ''
    const condition = part === undefined ? '' : ` where store_uuid = '${part}'`
    const recorded = table === ledger ? ` and at >= '${header.recorded_since}' order by ${positions}` : ''
    rows[table] ??= 0
    let hasRows = false
    // `copy` of a table by its name does not read partitions.
    for await (const text of await copyOut(`(select ${columns} from ${table}${condition}${recorded})`)) {
      if (!hasRows) yield `${copyLine(table, columns)}\n`
      hasRows = true
      rows[table] += countLines(text as Buffer)
      yield text as Buffer
    }
    if (hasRows) yield `${endOfRows}\n`
  }
  if (part !== undefined) yield `${rebuilding(part)}\n`
  yield `${commit}\n`
}

async function readHeader(db: Kysely<Database>, storeUuid: Part): Promise<Header> {
  const { rows } = await sql<{ now: Date; migrations: string[]; since: string }>`
    select now(), array(select name from migration order by name) as migrations, (
      select to_json(case when has_gap then now() else greatest(since, first_change_day()) end) #>> '{}'
      from ledger_state(${storeUuid ?? null}::uuid)
    ) as since`.execute(db)
  const [{ now, migrations, since } = { now: new Date(), migrations: [], since: '' }] = rows
  const known = scriptNames()
  const unknown = migrations.filter((name) => !known.includes(name))
  // There may be tables that the backup would lack.
  if (unknown.length > 0) {
    throw new Error(`a newer version has migrated the database (${unknown.join(', ')}): back it up with that version`)
  }
  const header = { catalogue_backup: 2, version: ownVersion(), migrations, created_at: now.toISOString() } as const
  return storeUuid !== undefined ? { ...header, recorded_since: since } : header
}

/** The columns of each table, but generated ones and positions. */
async function columnsOf(db: Kysely<Database>): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; columns: string }>`
    select t.name, (
      select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
      where attrelid = t.name::regclass and attnum > 0 and not attisdropped and attgenerated = ''
        and (t.name <> ${ledger} or attname <> all (${positions}::text[]))
    ) as columns
    from unnest(${[...tablesOf('', { recorded_since: '' }), ...tablesOf(undefined, {})]}::text[]) t(name)`.execute(db)
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}
