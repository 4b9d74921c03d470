import type { Enumerations } from '../catalog/enumerations.ts'
import { prepareLoading } from '../catalog/load-products.ts'
import { NewUrls } from '../catalog/new-urls.ts'
import { type View, type WriteView, wholeCatalogue } from '../catalog/viewer.ts'
import { write } from '../catalog/write.ts'
import { type Session, withSession } from '../database/copy.ts'
import { ahead, chunksOf, usualChunk } from './chunks.ts'
import { type Counts, sum } from './counts.ts'
import { moveRun, type RunKey, type RunPosition, start } from './import-run.ts'
import type { FailedRow } from './map-row.ts'
import { type PreparedChunk, releaseChunk } from './prepare-chunk.ts'
import type { ImportRequest } from './request.ts'
import { type RowStream, streamRows } from './row-stream.ts'
import { type Rules, RulesChanged, readRules } from './rules.ts'
import { unlessAborted, untilAborted } from './until-aborted.ts'
import { UsageError } from './usage-error.ts'
import { writeChunk } from './write-chunk.ts'

/** What an import works on, and whom it keeps informed. */
export interface ImportWork {
  db: View
  enumerations: Enumerations
  /** Reads the file from its start. */
  open(): AsyncIterable<Buffer>
  /** What the run is known by, if it is to be gone on with when it breaks off. */
  run?: RunKey | undefined
  /** Where it goes on; by default at the start. */
  from?: RunPosition | undefined
  /** Hears of the columns of the file before its first row. */
  onColumns?(columns: readonly string[]): Promise<void>
  /** Hears of the rows that have failed before the chunk that they are of is in: `Report.add`. */
  onFailed(rows: readonly FailedRow[], behind: number, transaction: WriteView): Promise<number>
  /** Hears, after each chunk, what has become of the rows so far. */
  onProgress(counts: Counts): void
  /** Ends the import after the chunk that is being written. */
  signal: AbortSignal
}

export interface ImportResult {
  counts: Counts
  /** Why the end of the file was not reached; undefined when it was. */
  stopped: string | undefined
  /** Whether that is because the file cannot be read any further, so that there is nothing to go on with. */
  isBroken: boolean
  /** What was thrown, if that is why. */
  cause: unknown
  /** Columns that were named and that no row had, if any row went in. */
  unseen: string[]
}

/**
 * Imports a file in chunks, each whole or not at all; with `dryRun` all of it is undone in the end. Throws a UsageError when the file
 * does not have what the request names. Once rows go in nothing is thrown: what stops the import is in the result.
 */
export async function importFile(request: ImportRequest, work: ImportWork): Promise<ImportResult> {
  let position = work.from ?? start
  const streamAt = ({ counts }: RunPosition) => streamRows(request, work.enumerations, work.open(), counts.rows)
  for (let isFirst = true; ; isFirst = false) {
    const stream = await unlessAborted(streamAt(position), work.signal)
    if (!stream) return { ...nothingElse, counts: position.counts, stopped: interrupted(position) }
    if (isFirst) await work.onColumns?.(stream.columns)
    const pass = await withSession(work.db, async (session) => {
      await prepareLoading(session)
      return importRows({ ...work, from: position, session, request, stream, outlook: { bringsLinks: true } })
    })
    position = pass.position
    if (pass.mustJudgeAgain) continue
    const { counts } = position
    const unseen = counts.rows > counts.failed ? [...stream.unseen] : []
    const { stopped = stream.broken(), cause } = pass
    return { counts, stopped, isBroken: stopped !== undefined && pass.stopped === undefined, cause, unseen }
  }
}

const nothingElse = { isBroken: false, cause: undefined, unseen: [] }

interface RowsWork extends ImportWork {
  from: RunPosition
  session: Session
  request: ImportRequest
  stream: RowStream
  outlook: Outlook
}

/** What the chunks so far let expect of the next. */
interface Outlook {
  bringsLinks: boolean
}

/** How far the rows went in, and why no further. */
interface Pass {
  position: RunPosition
  stopped?: string
  cause?: unknown
  /** The store's definitions have changed: the rows behind the position must be read and judged again. */
  mustJudgeAgain?: boolean
}

async function importRows(work: RowsWork): Promise<Pass> {
  const { session, request } = work
  const chunks = untilAborted(ahead(judgedChunks(work)), work.signal)
  const db = wholeCatalogue(session.db)
  if (!request.dryRun) return writeChunks(work, chunks, (writeOne) => write(db, false, writeOne))
  return write(db, true, (transaction) => writeChunks(work, chunks, (writeOne) => writeOne(transaction)))
}

type InTransaction = (work: Parameters<typeof write<RunPosition>>[2]) => Promise<RunPosition>

async function writeChunks(
  work: RowsWork,
  chunks: AsyncIterable<PreparedChunk>,
  inTransaction: InTransaction,
): Promise<Pass> {
  const { session, request, run } = work
  const newUrls = new NewUrls(request.storeUuid)
  let position = work.from
  try {
    for await (const chunk of chunks) {
      position = await inTransaction(async (transaction) => {
        const counts = await writeChunk(session, transaction, request.storeUuid, chunk, newUrls)
        const reportBytes = await work.onFailed(chunk.failed, position.reportBytes, transaction)
        const next = { counts: sum(position.counts, counts), reportBytes }
        if (run) await moveRun(transaction, run, position, next)
        work.outlook.bringsLinks = counts.linksAdded > 0 || chunk.assets.rows.length === 0
        return next
      })
      releaseChunk(chunk)
      work.onProgress(position.counts)
    }
    return work.signal.aborted ? { position, stopped: interrupted(position) } : { position }
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (error instanceof RulesChanged) return { position, mustJudgeAgain: true }
    return { position, stopped: stoppedBy(error, position), cause: error }
  }
}

function interrupted(position: RunPosition): string {
  return stoppedBy('interrupted', position)
}

function stoppedBy(reason: unknown, { counts }: RunPosition): string {
  return `stopped after row ${counts.rows}: ${reason instanceof Error ? reason.message : reason}`
}

/** The chunks, judged by the rules that the store has when each begins. */
async function* judgedChunks({ db, request, stream, outlook }: RowsWork): AsyncGenerator<PreparedChunk> {
  const { columnOf } = stream.layout
  let rules: Rules | undefined
  const begin = async () => {
    rules = await readRules(db, request.storeUuid, rules)
    return { target: request, rules, columnOf, bringsLinks: outlook.bringsLinks }
  }
  yield* chunksOf(stream.blocks, begin, { ...usualChunk, rows: request.chunkRows ?? usualChunk.rows })
}
