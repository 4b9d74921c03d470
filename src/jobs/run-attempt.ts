import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import type { Database } from '../database/tables.ts'
import { codeOf, isUnavailable, shortageOf } from '../database/unavailable.ts'
import { exportStore } from '../export/export-store.ts'
import { importFile } from '../import/import-file.ts'
import type { ImportRequest } from '../import/options.ts'
import { noCounts } from '../import/position.ts'
import { type ReportFormat, reportFormat, reportText } from '../import/report/report-format.ts'
import { loggableError } from '../request/loggable-error.ts'
import {
  type AttemptKey,
  finishJob,
  keepProblems,
  type RunJob,
  readAttempt,
  requeue,
  saveProgress,
  writeAsCurrent,
} from './attempt.ts'
import type { JobKey } from './job.ts'
import { deleteParts, partsOf, readInput } from './parts.ts'
import { type JobQuotas, partsWriter } from './quotas.ts'
import type { ExportOptions } from './start-job.ts'

interface AttemptContext {
  catalogue: Catalogue
  enumerations: Enumerations
  quotas: JobQuotas
  /** Interrupts the attempt: the job does not end. */
  signal: AbortSignal
  /** Called every few seconds, as long as this thread is not busy with one step. */
  reportProgress(): void
  log: Logger
}

const saveProgressEveryMs = 2_000

/** Makes an attempt at a job. Throws when it is interrupted or the database cannot be reached: it may be repeated. */
export async function runAttempt(
  key: AttemptKey,
  { reportProgress, log, signal, ...context }: AttemptContext,
): Promise<void> {
  const { db } = context.catalogue
  const attempt = await readAttempt(db, key)
  if (!attempt) return
  const superseded = new AbortController()
  const save = () => saveProgress(db, attempt).then((isSaved) => isSaved || superseded.abort())
  const timer = setInterval(() => {
    reportProgress()
    save().catch(() => {})
  }, saveProgressEveryMs)
  const work = { import: runImport, export: runExport }[attempt.kind]
  try {
    const anySignal = AbortSignal.any([signal, superseded.signal])
    const faultOf = await work(context.catalogue, attempt, { ...context, signal: anySignal }).then(
      (fault) => () => fault,
      async (error: unknown) => {
        if (isPassing(error)) await requeue(db, attempt).catch(() => {})
        if (signal.aborted || isUnavailable(error)) throw error
        return () => reasonOf(error, key, log)
      },
    )
    // Otherwise the job is deleted, or another attempt has begun: that may be the cause of an error.
    if (await saveProgress(db, attempt)) await finishJob(db, attempt, faultOf())
  } finally {
    clearInterval(timer)
  }
}

/**
 * Whether it ends by itself, such as a lock or a full disk. A statement that takes too long does so each time, and so
 * may a deadlock or serialization failure that repeats have not cured.
 */
const isPassing = (error: unknown) =>
  shortageOf(error) !== undefined && !['57014', '40001', '40P01'].includes(codeOf(error))

/** What the user may read of an error: messages about the input, and nothing about other failures. */
function reasonOf(error: unknown, { jobId }: JobKey, log: Logger): string {
  if (error instanceof Error && (error.name === 'UsageError' || error.name === 'CatalogueError')) return error.message
  log.error({ err: loggableError(error), jobId }, 'unexpected error in a job')
  return 'internal error; it has been logged'
}

/** A dry run is one transaction: it blocks other writers of its store, and delays the feeds of all stores. */
const longestDryRunMs = 2 * 60_000

/** Runs an import from the last attempt's position. Its output is the rows that fail, in the format of the input. */
export const runImport: RunJob = async (catalogue, attempt, { enumerations, quotas, signal, ...context }) => {
  const { maxDryRunMs = longestDryRunMs } = context
  const { db } = catalogue
  const request = attempt.options as unknown as ImportRequest
  const from = attempt.position ?? undefined
  // The attempt before saved the problems of rows after its position, which are read again; a dry run has no position.
  attempt.problems = from ? attempt.problems.filter(({ row }) => row <= from.counts.rows) : []
  attempt.counts = from?.counts ?? noCounts
  let columns: readonly string[] = []
  let format: ReportFormat | undefined
  let parts = from?.reportLength ?? 0
  const output = partsWriter(attempt, 'output', quotas)
  const writeOutput = (to: Kysely<Database>, begin: number, added: readonly Buffer[]) =>
    writeAsCurrent(to, attempt, (transaction) => output(transaction, begin, added))
  const deadline = request.dryRun ? AbortSignal.timeout(maxDryRunMs) : undefined
  if (!from) await writeAsCurrent(db, attempt, (transaction) => deleteParts(transaction, attempt, 'output'))
  const result = await importFile(db, readInput(db, attempt), request, {
    enumerations,
    origin: attempt.origin ? { ...attempt.origin, via: 'job', operation: 'import' } : undefined,
    from,
    reopen: () => readInput(db, attempt),
    report: {
      begin: async (named, recognized) => {
        attempt.recognized = recognized
        columns = named
        format = reportFormat(recognized)
      },
      add: async (rows, partsBefore, transaction) => {
        keepProblems(attempt, rows)
        const isFirst = partsBefore === 0
        const text = format ? reportText(format, columns, rows, isFirst) : Buffer.alloc(0)
        const head = isFirst ? Buffer.from(format?.head(columns) ?? '') : Buffer.alloc(0)
        const added = text.length === 0 ? [] : partsOf(Buffer.concat([head, text]))
        // In the transaction of the rows, so that no failure is lost or reported twice. A dry run's is rolled back.
        await writeOutput(request.dryRun ? db : transaction, partsBefore, added)
        parts = partsBefore + added.length
        return parts
      },
    },
    savePosition: async (position, transaction) => {
      attempt.counts = position.counts
      const isSaved = request.dryRun ? saveProgress(db, attempt) : saveProgress(transaction, attempt, position)
      if (!(await isSaved)) throw new Error('another attempt at the job has begun')
    },
    signal: deadline ? AbortSignal.any([signal, deadline]) : signal,
  })
  attempt.notes = result.notes
  attempt.recognized = result.recognized ?? attempt.recognized
  signal.throwIfAborted()
  if (isUnavailable(result.cause)) throw result.cause
  if (parts > 0) await writeOutput(db, parts, [Buffer.from(format?.foot ?? '')])
  attempt.counts = result.counts
  return result.stopped && deadline?.aborted
    ? `${result.stopped}: a dry run may take ${maxDryRunMs / 1000} s; use a part of the file, or \`catalog import --dry-run\``
    : result.stopped
}

/** Writes a store's products, from one snapshot: an attempt after an interrupted one starts again. */
export const runExport: RunJob = async (catalogue, attempt, { quotas, signal }) => {
  const { db } = catalogue
  const { channel, status, ...form } = attempt.options as unknown as ExportOptions
  await writeAsCurrent(db, attempt, (transaction) => deleteParts(transaction, attempt, 'output'))
  const writeOutput = partsWriter(attempt, 'output', quotas)
  let written = 0
  attempt.counts = noCounts
  const selection = { storeUuid: attempt.storeUuid, channel, status: status ?? undefined }
  await exportStore(catalogue, selection, form, async (text, products) => {
    signal.throwIfAborted()
    const parts = partsOf(Buffer.from(text))
    await writeAsCurrent(db, attempt, (transaction) => writeOutput(transaction, written, parts))
    written += parts.length
    attempt.counts = { ...noCounts, rows: attempt.counts.rows + products }
  })
  return undefined
}
