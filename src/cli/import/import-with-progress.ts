import { once } from 'node:events'
import { createReadStream, type ReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Enumerations } from '../../catalogue/enumerations.ts'
import { findStoreUuid } from '../../catalogue/stores/stores.ts'
import type { Database } from '../../database/tables.ts'
import { codeOf } from '../../database/unavailable.ts'
import { messageOf } from '../../errors.ts'
import { type ImportResult, type ImportWork, importFile } from '../../import/import-file.ts'
import { type ImportOptions, importRequest, requireConfigured, type StoreImport } from '../../import/options.ts'
import { type Counts, startPosition } from '../../import/position.ts'
import type { Reopen } from '../../import/read/row.ts'
import { UsageError } from '../../import/usage-error.ts'
import { findInterrupted, type ImportedFile, type ResumedImport, runAsJob } from '../../jobs/command-line-import.ts'
import { unlessAborted } from '../../request/give-up.ts'
import { recordWrites, withDatabase } from '../with-database.ts'
import { importedFile } from './imported-file.ts'
import { startProgress } from './progress.ts'
import { startReport } from './report.ts'

type Imported = ImportResult & { advice: string; resumedAfter: number; requestId: string | undefined }

interface Input {
  stats: Stats
  stream: ReadStream
  reopen: Reopen | undefined
}

/**
 * Imports a file as the command line says, with progress and problems on stderr. `advice` says what to do if the import
 * stopped before the end. Throws a UsageError, before anything has changed, if the options or the file do not allow it.
 */
export async function importWithProgress(file: string, options: ImportOptions, signal: AbortSignal): Promise<Imported> {
  const given = importRequest(file, options)
  const input = await unlessAborted(openInput(file), signal)
  if (!input) throw new UsageError(`${file} cannot be read: interrupted before it was opened for writing`)
  try {
    return await withDatabase(async (context) => {
      const enumerations = await context.enumerations()
      requireConfigured(given, enumerations)
      const request = { ...given, storeUuid: await findTarget(context.db, options.store) }
      return recordWrites(context, { operation: 'import', dryRun: request.dryRun }, (recording) =>
        importReporting(request, recording, enumerations, input, signal),
      )
    })
  } finally {
    input.stream.destroy()
  }
}

/** All rows of a part of the file are in memory until they are imported. Few survive garbage collections. */
const partSize = 32 * 1024
/** What is read again comes in fewer parts: none of them is kept. */
const againSize = 256 * 1024

/** Opens a file for reading. Throws a UsageError that says why it cannot be read. */
async function openInput(path: string): Promise<Input> {
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) throw new Error('it is a directory')
    const stream = createReadStream(path, { highWaterMark: partSize })
    await once(stream, 'open')
    const reopen = () => createReadStream(path, { highWaterMark: againSize })
    return { stats, stream, reopen: stats.isFile() ? reopen : undefined }
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}`)
  }
}

async function findTarget(db: Kysely<Database>, store: string): Promise<string> {
  try {
    return await findStoreUuid(db, store)
  } catch (error) {
    const isEmpty = codeOf(error) === '42P01' // undefined_table
    if (isEmpty) throw new UsageError(`--store: there is no store ${store}: the database is empty`)
    throw error
  }
}

async function importReporting(
  request: StoreImport,
  catalogue: Catalogue,
  enumerations: Enumerations,
  { stats, stream, reopen }: Input,
  signal: AbortSignal,
): Promise<Imported> {
  const { db, origin } = catalogue
  const { errors, dryRun } = request
  const reportSize = errors === undefined ? 0 : await sizeOfReport(errors, stats)
  const imported = await importedFile(request, dryRun ? undefined : reopen?.())
  const resumed = request.resume ? await findResumed(db, imported, reportSize) : undefined
  const from = resumed?.position ?? startPosition
  const report = await startReport(errors, from.reportEnd)
  const read = () => (stats.size > 0 ? Math.min(stream.bytesRead / stats.size, 1) : 0)
  const progress = startProgress(process.stderr, { fromRow: from.counts.rows, read })
  const importTo = (work: Pick<ImportWork, 'report' | 'savePosition'>) =>
    importFile(db, stream, request, {
      ...work,
      reopen,
      enumerations,
      origin,
      signal,
      from,
      onChunk: (done, failedRows) => {
        progress.update(done)
        report.addProblems(failedRows)
      },
    })
  let counts = from.counts
  try {
    const job = { ...imported, origin, resumed }
    const result = dryRun ? await importTo({ report }) : await runAsJob(db, job, report, importTo)
    counts = result.counts
    const canResume = imported.content !== undefined
    return {
      ...{ ...result, advice: nextStepAfter(request, result, canResume), resumedAfter: from.counts.rows },
      requestId: dryRun || isWithoutEffect(counts) ? undefined : origin?.requestId,
    }
  } finally {
    progress.stop()
    const incomplete = (error: unknown) => [`the report is incomplete: ${messageOf(error)}`]
    for (const sentence of await report.close(since(from.counts, counts)).catch(incomplete)) print(sentence)
  }
}

/** Such an import is not in the ledger: its request cannot be reverted. */
function isWithoutEffect({ created, updated, assetsAdded, linksAdded }: Counts): boolean {
  return created + updated + assetsAdded + linksAdded === 0
}

function since(from: Counts, to: Counts): Pick<Counts, 'failed' | 'assetsFailed'> {
  return { failed: to.failed - from.failed, assetsFailed: to.assetsFailed - from.assetsFailed }
}

/** The size of an earlier report; 0 if there is none. Throws a UsageError if it is the file that is imported. */
async function sizeOfReport(path: string, imported: Stats): Promise<number> {
  const earlier = await stat(path).catch(() => undefined)
  if (earlier?.ino === imported.ino && earlier.dev === imported.dev) {
    throw new UsageError('--errors must not name the file that is imported')
  }
  return earlier?.size ?? 0
}

async function findResumed(
  db: Kysely<Database>,
  imported: ImportedFile,
  reportSize: number,
): Promise<ResumedImport | undefined> {
  if (imported.content === undefined) throw new UsageError('--resume needs a file that can be read again')
  const found = await findInterrupted(db, imported)
  print(found ? `resumes after row ${found.position.counts.rows}` : 'nothing to resume: starts at the beginning')
  // The report may have been deleted meanwhile.
  if (!found || found.position.reportEnd <= reportSize) return found
  return { ...found, position: { ...found.position, reportEnd: 0 } }
}

function nextStepAfter({ dryRun }: StoreImport, { isBroken, counts }: ImportResult, canResume: boolean): string {
  if (dryRun || (isBroken && counts.rows === counts.failed)) return ''
  if (isBroken) return '; earlier rows were imported; repair the file there and import it again'
  return `; earlier rows were imported; ${canResume ? 'continue with --resume' : 'import the file again'}`
}

function print(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}
