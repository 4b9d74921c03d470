import type { Kysely, Transaction } from 'kysely'
import type { Enumerations } from '../catalog/enumerations.ts'
import { write } from '../catalog/write.ts'
import type { Database } from '../database/tables.ts'
import { ahead, batches } from './batches.ts'
import { type Counts, noCounts, sum } from './counts.ts'
import { type Layout, namedColumns, planLayout } from './layout.ts'
import { type MappedRow, mapUnreadable, type RowMapper, rowMapper } from './map-row.ts'
import { peekColumns } from './peek.ts'
import { readRows } from './read-rows.ts'
import type { Problem } from './report.ts'
import type { ImportRequest } from './request.ts'
import type { Row, UnreadableRow } from './row.ts'
import { type WrittenBatch, writeBatch } from './write-batch.ts'

/** What an import works on, and whom it keeps informed. */
export interface ImportWork {
  db: Kysely<Database>
  enumerations: Enumerations
  chunks: AsyncIterable<Buffer>
  onProblems(problems: readonly Problem[]): Promise<void>
  /** Hears, after each batch, how many rows have been worked. */
  onProgress(rows: number): void
  /** Ends the import after the batch that is being written. */
  signal: AbortSignal
}

export interface ImportResult {
  counts: Counts
  /** Why the end of the file was not reached; undefined when it was. */
  stopped: string | undefined
  /** Columns that were named and that no row had, if any row went in. */
  unseen: string[]
}

/**
 * Imports a file in batches, each whole or not at all; with `dryRun` all of it is undone in the end. Throws a UsageError when the file
 * does not have what the request names. Once rows go in nothing is thrown: what stops the import is in the result.
 */
export async function importFile(request: ImportRequest, work: ImportWork): Promise<ImportResult> {
  const source = await readRows(work.chunks, request.format)
  const { columns, rows } = source.columns ? { ...source, columns: source.columns } : await peekColumns(source.rows)
  const isComplete = source.columns !== undefined
  // Where no row could be read there is nothing to look for, and every row fails on its own.
  const known = columns.length === 0 && !isComplete ? [request.code ?? 'product_code'] : columns
  const layout = planLayout(request, work.enumerations, known, isComplete)
  const unseen = new Set([...namedColumns(request).values()].flat())
  const run = (dryRun?: Transaction<Database>) => importRows(request, work, layout, watched(rows, unseen), dryRun)
  const result = await (request.dryRun ? write(work.db, true, run) : run())
  const { rows: all, failed } = result.counts
  return { ...result, unseen: all > failed ? [...unseen] : [] }
}

async function importRows(
  request: ImportRequest,
  { db, enumerations, onProblems, onProgress, signal }: ImportWork,
  layout: Layout,
  rows: AsyncIterable<Row | UnreadableRow>,
  dryRun: Transaction<Database> | undefined,
): Promise<Omit<ImportResult, 'unseen'>> {
  const target = { enumerations, storeUuid: request.storeUuid, columnOf: layout.columnOf }
  const end: { stopped: string | undefined } = { stopped: undefined }
  let counts: Counts = noCounts
  for await (const batch of ahead(batches(mapped(rows, rowMapper(request, layout), end)))) {
    const done = `stopped after row ${counts.rows}`
    if (signal.aborted) return { counts, stopped: `${done}: interrupted` }
    let written: WrittenBatch
    try {
      written = await (dryRun
        ? writeBatch(dryRun, target, batch)
        : write(db, false, (transaction) => writeBatch(transaction, target, batch)))
    } catch (error) {
      return { counts, stopped: `${done}: ${error instanceof Error ? error.message : error}` }
    }
    counts = sum(counts, written.counts)
    await onProblems(written.failed.flatMap(problemsOf))
    onProgress(counts.rows)
  }
  return { counts, ...end }
}

async function* watched(
  rows: AsyncIterable<Row | UnreadableRow>,
  unseen: Set<string>,
): AsyncGenerator<Row | UnreadableRow> {
  for await (const row of rows) {
    for (const column of unseen) {
      if ('cells' in row && row.cells.has(column)) unseen.delete(column)
    }
    yield row
  }
}

async function* mapped(
  rows: AsyncIterable<Row | UnreadableRow>,
  map: RowMapper,
  end: { stopped: string | undefined },
): AsyncGenerator<MappedRow> {
  for await (const row of rows) {
    if ('reason' in row && row.ends) end.stopped = `stopped at row ${row.number}: ${row.reason}`
    yield 'reason' in row ? mapUnreadable(row) : map(row)
  }
}

function problemsOf({ row: { number, line, code }, faults }: WrittenBatch['failed'][number]): Problem[] {
  return faults.map(({ field, reason }) => ({ row: number, line, code, field, reason }))
}
