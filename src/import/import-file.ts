import type { Kysely, Transaction } from 'kysely'
import { type Catalogue, type Origin, type WriteCatalogue, wholeCatalogue } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { inTransaction, rolledBackIf } from '../catalogue/transaction.ts'
import { type OwnConnection, withOwnConnection } from '../database/connection/own-connection.ts'
import type { Database } from '../database/tables.ts'
import { messageOf } from '../errors.ts'
import { unlessAborted } from '../request/give-up.ts'
import { type NumberReaders, numberReaders } from './load/decimals.ts'
import type { MappedRow } from './load/map-row.ts'
import { chunksOf, type RowStream, streamRows, withReadAhead } from './load/stream-rows.ts'
import { writeChunk } from './load/write-chunk.ts'
import type { StoreImport } from './options.ts'
import { type Counts, type ImportPosition, startPosition } from './position.ts'
import type { Recognized, Reopen } from './read/row.ts'
import type { FailedRow } from './report/failed-row.ts'
import type { Note } from './report/notes.ts'
import { UsageError } from './usage-error.ts'

export interface ImportWork {
  enumerations: Enumerations
  /** Ends the import after the chunk that is being written, or before it if its values take long to validate. */
  signal: AbortSignal
  reopen?: Reopen | undefined
  /** Called after each chunk with the counts of all rows so far, and its failed rows. */
  onChunk?(counts: Counts, failedRows: readonly FailedRow[]): void
  report?: ImportReport
  /** Whose changes are recorded; undefined: none are. */
  origin?: Origin | undefined
  /** The position to resume from; by default the start. */
  from?: ImportPosition | undefined
  /** Saves the position after a chunk, in the transaction of its rows. */
  savePosition?(position: ImportPosition, transaction: Transaction<Database>): Promise<void>
}

export interface ImportReport {
  /** Called with the columns of the file, and how it is written, before its first row. */
  begin(columns: readonly string[], recognized: Recognized): Promise<void>
  /**
   * Adds a chunk's failed rows before its transaction is committed. The report ends at `end` without them; returns its
   * new end. The same chunk is added again if its transaction is retried.
   */
  add(rows: readonly FailedRow[], end: number, transaction: Transaction<Database>): Promise<number>
}

export interface ImportResult {
  counts: Counts
  /** Why the end of the file was not reached; undefined if it was. */
  stopped: string | undefined
  /** Whether it was not because the file cannot be read any further: then the import cannot be resumed. */
  isBroken: boolean
  /** The error that stopped the import, if one did. */
  cause: unknown
  /** How the file is written; undefined: its beginning was not read. */
  recognized: Recognized | undefined
  notes: Note[]
}

/**
 * Imports a file into a store, in chunks of one transaction each; with `dryRun` all are one that is rolled back.
 * `input` is the content from its start, also for a resumed run. Throws a UsageError if the file lacks a column that
 * the request names. After the first row nothing is thrown: the result says what stopped the import.
 *
 * A file that can be opened again is read up to four times: the command line hashes it, to know it when it is resumed;
 * all its bytes decide on the encoding, and a decimal comma anywhere on the numbers before it, unless options do; then
 * its rows are imported.
 */
export async function importFile(
  db: Kysely<Database>,
  input: AsyncIterable<Buffer>,
  request: StoreImport,
  work: ImportWork,
): Promise<ImportResult> {
  const { enumerations, from = startPosition, report, signal, reopen } = work
  const stream = await unlessAborted(streamRows(request, enumerations, input, from.counts.rows, reopen), signal)
  if (!stream) {
    return { ...stoppedBy('interrupted', from), isBroken: false, recognized: undefined, notes: [] }
  }
  const { recognized, notes } = stream
  await report?.begin(stream.columns, recognized)
  const end = await withOwnConnection(db, (own) => importRows(own, request, stream, work))
  const { counts, stopped = stream.broken() } = end
  if (counts.rows === 0 && stopped === undefined) notes.add('no_rows', { rows: 0 })
  const isRead = stopped === undefined && counts.rows > counts.failed
  for (const column of isRead ? stream.unseen : []) notes.add('unseen_column', { column, rows: 0 })
  return { ...end, stopped, isBroken: stopped !== end.stopped, recognized, notes: notes.list() }
}

async function importRows(own: OwnConnection, request: StoreImport, stream: RowStream, work: ImportWork) {
  const { from = startPosition, report, savePosition, signal, onChunk, origin } = work
  const { columnOf } = stream.layout
  const chunks = withReadAhead(chunksOf(stream.rows, request.chunkRows), signal)
  let position = from
  /** Writes a chunk and its part of the report, and saves the position after it. */
  const writeOne = async (catalogue: WriteCatalogue, rows: readonly MappedRow[], numbers: NumberReaders) => {
    const how = { columnOf, numbers, signal }
    const { counts, failedRows } = await writeChunk(own, catalogue, request, rows, how)
    const reportEnd = (await report?.add(failedRows, position.reportEnd, catalogue.db)) ?? position.reportEnd
    const next = { counts: sum(position.counts, counts), reportEnd }
    await savePosition?.(next, catalogue.db)
    return { next, failedRows }
  }
  const writeAll = async (catalogue: Catalogue) => {
    try {
      const numbers = await numberReaders(catalogue, request, stream, work)
      for await (const rows of chunks) {
        const written = await inTransaction(catalogue, (transaction) => writeOne(transaction, rows, numbers))
        position = written.next
        onChunk?.(position.counts, written.failedRows)
      }
      if (signal.aborted) return stoppedBy('interrupted', position)
      numbers.addNotes(stream.notes, { rows: position.counts.rows, isResumed: from !== startPosition })
      return { counts: position.counts, stopped: undefined, cause: undefined }
    } catch (error) {
      if (error instanceof UsageError) throw error
      if (signal.aborted) return stoppedBy('interrupted', position)
      return { ...stoppedBy(error, position), cause: error }
    }
  }
  const catalogue = { ...wholeCatalogue(own.db), origin }
  return request.dryRun ? rolledBackIf(catalogue, true, writeAll) : writeAll(catalogue)
}

function stoppedBy(reason: unknown, { counts }: ImportPosition) {
  const stopped = `stopped after row ${counts.rows}: ${messageOf(reason)}`
  return { counts, stopped, cause: undefined }
}

function sum(a: Counts, b: Counts): Counts {
  const total = { ...a }
  for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += b[key]
  return total
}
