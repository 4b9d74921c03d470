import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../app/config.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Enumerations } from '../../catalogue/enumerations.ts'
import { requireStore } from '../../catalogue/stores/stores.ts'
import { CatalogueError } from '../../errors.ts'
import { startGlobalConfig } from '../../global-config/global-config.ts'
import { type ImportResult, importFile } from '../../import/import.ts'
import { unlessAborted } from '../../import/load/chunks.ts'
import { type ImportOptions, type ImportRequest, importRequest, requireConfigured } from '../../import/options.ts'
import { findPosition, forgetRun, type RunKey } from '../../import/position.ts'
import { UsageError } from '../../import/usage-error.ts'
import { type InputFile, openInput } from './input-file.ts'
import { startProgress } from './progress.ts'
import { startReport } from './report.ts'

/** A result with what to do if the import has not reached the end of its file. */
export interface AdvisedResult extends ImportResult {
  advice: string
}

/** Calls `work` with the gateway's database, and closes it afterwards. */
export type OnDatabase = <T>(
  work: (tools: { catalogue: Catalogue; config: Config; log: Logger }) => Promise<T>,
) => Promise<T>

/**
 * Imports a file as the command line says, with progress and problems on stderr. Throws a UsageError, before anything has changed,
 * if the options or the file do not allow it.
 */
export async function runImport(
  file: string,
  options: ImportOptions,
  onDatabase: OnDatabase,
  signal: AbortSignal,
): Promise<AdvisedResult> {
  const request = importRequest(file, options)
  const input = await unlessAborted(openInput(file), signal)
  if (!input) throw new UsageError(`${file} cannot be read: interrupted before it was opened for writing`)
  try {
    if (request.errorsFile !== undefined) await requireOther(file, request.errorsFile)
    return await onDatabase(async ({ catalogue, config, log }) => {
      const { globalConfigUrl: url, globalConfigRefreshMs: refreshMs } = config
      const globalConfig = await startGlobalConfig({ url, refreshMs, log })
      globalConfig.stop()
      requireConfigured(request, globalConfig.enumerations())
      await requireTarget(catalogue, request.storeUuid)
      return importReporting(request, catalogue, globalConfig.enumerations(), input, signal)
    })
  } finally {
    // Closing a pipe that nobody writes to would not end: an interruption does not wait for it.
    const closed = input.close()
    if (!signal.aborted) await closed
  }
}

async function importReporting(
  request: ImportRequest,
  catalogue: Catalogue,
  enumerations: Enumerations,
  input: InputFile,
  signal: AbortSignal,
): Promise<AdvisedResult> {
  const { db } = catalogue
  const run = request.dryRun || !input.isRepeatable ? undefined : await runKeyOf(request)
  if (request.resume && !run) throw new UsageError('--resume needs a file that can be read again')
  const from = run && request.resume ? await findPosition(db, run) : undefined
  if (run && !from) await forgetRun(db, run)
  if (request.resume)
    print(from ? `resumes after row ${from.counts.rows}` : 'nothing to resume: starts at the beginning')
  const report = await startReport(request.errorsFile, request.format, from?.reportBytes ?? 0)
  const progress = startProgress(process.stderr, input, from?.counts.rows ?? 0)
  try {
    const work = { enumerations, signal, onProgress: progress.update, report, run, from }
    const result = await importFile(catalogue, input.content(), request, work)
    if (run && (result.stopped === undefined || result.isBroken)) await forgetRun(db, run)
    return { ...result, advice: adviceOn(request, result, run !== undefined) }
  } finally {
    progress.stop()
    const failed = (error: unknown) => [`the report is incomplete: ${error instanceof Error ? error.message : error}`]
    for (const sentence of await report.close().catch(failed)) print(sentence)
  }
}

function adviceOn({ dryRun }: ImportRequest, { isBroken }: ImportResult, canResume: boolean): string {
  if (dryRun) return ''
  if (isBroken) return '; what came before is in: mend the file there and import it again'
  return `; what came before is in: ${canResume ? '--resume goes on there' : 'import it again'}`
}

function print(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

/** The key of the run: an import is resumed with the same file, and the same options as far as they decide what is imported. */
async function runKeyOf(request: ImportRequest): Promise<RunKey> {
  const { file, storeUuid, format, channel, code, status, assetColumns, assetSeparator, assetBase } = request
  const { attributes, onlyMapped, preset } = request
  const meaning = { format, channel, code, status, assetColumns, assetSeparator, assetBase, onlyMapped, preset }
  const options = JSON.stringify({ ...meaning, attributes: [...attributes] })
  const report = request.errorsFile === undefined ? null : resolve(request.errorsFile)
  return { storeUuid, file: resolve(file), content: await contentHash(file), options, report }
}

/** The SHA-256 of a file's content. */
async function contentHash(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** The report must not overwrite the file that is imported. */
async function requireOther(file: string, errorsFile: string): Promise<void> {
  const [input, errors] = await Promise.all([stat(file), stat(errorsFile).catch(() => undefined)])
  if (errors && errors.ino === input.ino && errors.dev === input.dev) {
    throw new UsageError('--errors must not name the file that is imported')
  }
}

async function requireTarget(catalogue: Catalogue, storeUuid: string): Promise<void> {
  try {
    await requireStore(catalogue, storeUuid, '--store')
  } catch (error) {
    if (error instanceof CatalogueError) throw new UsageError(error.message)
    const isEmpty = error instanceof Error && 'code' in error && error.code === '42P01' // undefined_table
    if (isEmpty) throw new UsageError(`--store: there is no store ${storeUuid}: the database is empty`)
    throw error
  }
}
