import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Enumerations } from '../catalog/enumerations.ts'
import { requireStore } from '../catalog/stores.ts'
import type { View } from '../catalog/viewer.ts'
import type { Config } from '../config.ts'
import { CatalogueError } from '../errors.ts'
import { startGlobalConfig } from '../global-config/global-config.ts'
import { type ImportResult, importFile } from './import-file.ts'
import { findPosition, forgetRun, type RunKey } from './import-run.ts'
import { contentHash, type InputFile, openInput } from './input-file.ts'
import { startProgress } from './progress.ts'
import { startReport } from './report.ts'
import { type ImportOptions, type ImportRequest, importRequest } from './request.ts'
import { requireConfigured } from './require-configured.ts'
import { unlessAborted } from './until-aborted.ts'
import { UsageError } from './usage-error.ts'

/** With what to do about an import that has not reached the end of its file. */
export interface AdvisedResult extends ImportResult {
  advice: string
}

/** Does work on the gateway's database and closes it behind itself. */
export type OnDatabase = <T>(work: (tools: { db: View; config: Config; log: Logger }) => Promise<T>) => Promise<T>

/**
 * Imports a file as the command line says, with progress and problems on stderr. Throws a UsageError, before anything has changed,
 * when it cannot be done as it was asked for.
 */
export async function runImport(
  file: string,
  options: ImportOptions,
  onDatabase: OnDatabase,
  signal: AbortSignal,
): Promise<AdvisedResult> {
  const request = importRequest(file, options)
  const input = await unlessAborted(openInput(file), signal)
  if (!input) throw new UsageError(`${file} cannot be read: interrupted before anybody has opened it for writing`)
  try {
    if (request.errorsFile !== undefined) await requireOther(file, request.errorsFile)
    return await onDatabase(async ({ db, config, log }) => {
      const { globalConfigUrl: url, globalConfigRefreshMs: refreshMs } = config
      const globalConfig = await startGlobalConfig({ url, refreshMs, log })
      globalConfig.stop()
      requireConfigured(request, globalConfig.enumerations())
      await requireTarget(db, request.storeUuid)
      return importReporting(request, db, globalConfig.enumerations(), input, signal)
    })
  } finally {
    // Whoever interrupts does not wait for a pipe that nobody writes to.
    const closed = input.close()
    if (!signal.aborted) await closed
  }
}

async function importReporting(
  request: ImportRequest,
  db: View,
  enumerations: Enumerations,
  input: InputFile,
  signal: AbortSignal,
): Promise<AdvisedResult> {
  const run = request.dryRun || !input.isRepeatable ? undefined : await runKeyOf(request)
  if (request.resume && !run) throw new UsageError('--resume needs a file that can be read again')
  const from = run && request.resume ? await findPosition(db, run) : undefined
  if (run && !from) await forgetRun(db, run)
  if (request.resume)
    tell(from ? `goes on behind row ${from.counts.rows}` : 'there is nothing to resume: begins at the start')
  const report = await startReport(request.errorsFile, request.format, from?.reportBytes ?? 0)
  const progress = startProgress(process.stderr, input, from?.counts.rows ?? 0)
  try {
    const result = await importFile(request, {
      db,
      enumerations,
      open: input.open,
      run,
      from,
      onColumns: report.begin,
      onFailed: report.add,
      onProgress: progress.update,
      signal,
    })
    if (run && (result.stopped === undefined || result.isBroken)) await forgetRun(db, run)
    return { ...result, advice: adviceOn(request, result, run !== undefined) }
  } finally {
    progress.stop()
    const unwritten = (error: unknown) => [`the report is not whole: ${error instanceof Error ? error.message : error}`]
    for (const sentence of await report.close().catch(unwritten)) tell(sentence)
  }
}

function adviceOn({ dryRun }: ImportRequest, { isBroken }: ImportResult, canResume: boolean): string {
  if (dryRun) return ''
  if (isBroken) return '; what came before is in: mend the file there and import it again'
  return `; what came before is in: ${canResume ? '--resume goes on there' : 'import it again'}`
}

function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

/** What the import goes on with when it is interrupted: the same file, with the options that say what becomes of it. */
async function runKeyOf(request: ImportRequest): Promise<RunKey> {
  const { file, storeUuid, format, channel, code, status, assetColumns, assetSeparator, assetBase } = request
  const { attributes, onlyMapped, preset } = request
  const meaning = { format, channel, code, status, assetColumns, assetSeparator, assetBase, onlyMapped, preset }
  const options = JSON.stringify({ ...meaning, attributes: [...attributes] })
  const report = request.errorsFile === undefined ? null : resolve(request.errorsFile)
  return { storeUuid, file: resolve(file), content: await contentHash(file), options, report }
}

/** The report must not overwrite what it is about. */
async function requireOther(file: string, errorsFile: string): Promise<void> {
  const [input, errors] = await Promise.all([stat(file), stat(errorsFile).catch(() => undefined)])
  if (errors && errors.ino === input.ino && errors.dev === input.dev) {
    throw new UsageError('--errors must not name the file that is imported')
  }
}

async function requireTarget(db: View, storeUuid: string): Promise<void> {
  try {
    await requireStore(db, storeUuid, '--store')
  } catch (error) {
    if (error instanceof CatalogueError) throw new UsageError(error.message)
    const isEmpty = error instanceof Error && 'code' in error && error.code === '42P01' // undefined_table
    if (isEmpty) throw new UsageError(`--store: there is no store ${storeUuid}: the database is empty`)
    throw error
  }
}
