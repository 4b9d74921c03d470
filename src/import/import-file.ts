import type { Kysely } from 'kysely'
import type { Enumerations } from '../catalog/enumerations.ts'
import { prepareLoading } from '../catalog/load-products.ts'
import { write } from '../catalog/write.ts'
import { type Session, withSession } from '../database/copy.ts'
import type { Database } from '../database/tables.ts'
import { ahead, type ChunkSize, chunksOf } from './chunks.ts'
import { type Counts, sum } from './counts.ts'
import { moveRun, type RunKey, type RunPosition, start } from './import-run.ts'
import { namedColumns, planLayout } from './layout.ts'
import { type MappedRow, mapUnreadable, type RowMapper, rowMapper } from './map-row.ts'
import { peekColumns } from './peek.ts'
import { reshaped, withPreset } from './presets.ts'
import { readRows } from './read-rows.ts'
import type { FailedRow } from './report.ts'
import type { ImportRequest } from './request.ts'
import type { Entry } from './row.ts'
import { type JudgedChunk, judgeChunk, type Rules, readRules, type Target, writeChunk } from './write-chunk.ts'

/** What an import works on, and whom it keeps informed. */
export interface ImportWork {
  db: Kysely<Database>
  enumerations: Enumerations
  chunks: AsyncIterable<Buffer>
  /** What the run is known by, if it is to be gone on with when it breaks off. */
  run?: RunKey | undefined
  /** Where it goes on; by default at the start. */
  from?: RunPosition | undefined
  chunkSize?: ChunkSize
  /** Hears of the columns of the file before its first row. */
  onColumns?(columns: readonly string[]): Promise<void>
  /** Hears of the rows that have failed before the chunk that they are of is in: `Report.add`. */
  onFailed(rows: readonly FailedRow[], behind: number): Promise<number>
  /** Hears, after each chunk, what has become of the rows so far. */
  onProgress(counts: Counts): void
  /** Ends the import after the chunk that is being written. */
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
 * Imports a file in chunks, each whole or not at all; with `dryRun` all of it is undone in the end. Throws a UsageError when the file
 * does not have what the request names. Once rows go in nothing is thrown: what stops the import is in the result.
 */
export async function importFile(given: ImportRequest, work: ImportWork): Promise<ImportResult> {
  const read = await readRows(work.chunks, given.format)
  await work.onColumns?.(read.columns ?? [])
  const source = reshaped(read, given.preset)
  const { columns, rows } = source.columns ? { ...source, columns: source.columns } : await peekColumns(source.rows)
  const request = withPreset(given, columns)
  const isComplete = source.columns !== undefined
  // Where no row could be read there is nothing to look for, and every row fails on its own.
  const known = columns.length === 0 && !isComplete ? [request.code ?? 'product_code'] : columns
  const layout = planLayout(request, work.enumerations, known, isComplete)
  const unseen = new Set([...namedColumns(request).values()].flat())
  const end: End = { stopped: undefined }
  const from = (work.from ?? start).counts.rows
  const blocks = mapped(watched(behind(rows, from), unseen), rowMapper(request, layout), end)
  const target = { storeUuid: request.storeUuid, channel: request.channel, columnOf: layout.columnOf }
  const counts = await withSession(work.db, async (session) => {
    await prepareLoading(session)
    return importChunks({ ...work, session, target, end }, chunksOf(blocks, work.chunkSize), request.dryRun)
  })
  return { counts, stopped: end.stopped, unseen: counts.rows > counts.failed ? [...unseen] : [] }
}

interface End {
  stopped: string | undefined
}

interface ChunkWork extends ImportWork {
  session: Session
  target: Target
  end: End
}

async function importChunks(work: ChunkWork, chunks: AsyncIterable<MappedRow[]>, dryRun: boolean): Promise<Counts> {
  const { session } = work
  if (!dryRun) return writeChunks(work, chunks, (write1) => write(session.db, false, write1))
  return write(session.db, true, (transaction) => writeChunks(work, chunks, (write1) => write1(transaction)))
}

type InTransaction = <T>(work: Parameters<typeof write<T>>[2]) => Promise<T>

async function writeChunks(
  work: ChunkWork,
  chunks: AsyncIterable<MappedRow[]>,
  inTransaction: InTransaction,
): Promise<Counts> {
  let position = work.from ?? start
  for await (const chunk of ahead(judged(work, chunks))) {
    const done = `stopped after row ${position.counts.rows}`
    if (work.signal.aborted) {
      work.end.stopped = `${done}: interrupted`
      break
    }
    try {
      position = await inTransaction(async (transaction) => {
        const { counts, failed } = await writeChunk(work.session, transaction, work.target, chunk)
        const reportBytes = await work.onFailed(failed, position.reportBytes)
        const next = { counts: sum(position.counts, counts), reportBytes }
        if (work.run) await moveRun(transaction, work.run, position, next)
        return next
      })
    } catch (error) {
      work.end.stopped = `${done}: ${error instanceof Error ? error.message : error}`
      break
    }
    work.onProgress(position.counts)
  }
  return position.counts
}

/** The chunks judged by the store's rules, which are read once and again with each chunk that is written. */
async function* judged({ db, target }: ChunkWork, chunks: AsyncIterable<MappedRow[]>): AsyncGenerator<JudgedChunk> {
  let rules: Rules | undefined
  for await (const rows of chunks) {
    rules ??= await readRules(db, target.storeUuid)
    yield judgeChunk(rows, rules, target)
  }
}

/** The rows behind those that are worked already. */
async function* behind(blocks: AsyncIterable<Entry[]>, worked: number): AsyncGenerator<Entry[]> {
  for await (const rows of blocks) {
    if ((rows.at(-1)?.number ?? 0) <= worked) continue
    yield (rows[0]?.number ?? 0) > worked ? rows : rows.filter(({ number }) => number > worked)
  }
}

async function* watched(blocks: AsyncIterable<Entry[]>, unseen: Set<string>): AsyncGenerator<Entry[]> {
  let seen: readonly string[] | undefined
  for await (const rows of blocks) {
    for (const row of rows) {
      if (unseen.size === 0 || 'reason' in row || row.columns === seen) continue
      for (const column of row.columns) unseen.delete(column)
      seen = row.columns
    }
    yield rows
  }
}

async function* mapped(blocks: AsyncIterable<Entry[]>, map: RowMapper, end: End): AsyncGenerator<MappedRow[]> {
  for await (const rows of blocks) {
    yield rows.map((row) => {
      if (!('reason' in row)) return map(row)
      if (row.ends) end.stopped = `stopped at row ${row.number}: ${row.reason}`
      return mapUnreadable(row)
    })
  }
}
