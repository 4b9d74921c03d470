import { isUnavailable } from '../database/unavailable.ts'
import { importFile } from '../import/import-file.ts'
import type { StoreImport } from '../import/options.ts'
import { noCounts } from '../import/position.ts'
import { type ReportSink, reportTo } from '../import/report/report-to.ts'
import { keptReport, type RunJob, saveProgress, writeAsCurrent } from './attempt.ts'
import { deleteParts, partsOf, partsWriter, readInput } from './parts.ts'

/** Runs an import from the last attempt's position. Its output is the rows that fail, in the format of the input. */
export const runImport: RunJob = async (catalogue, attempt, { enumerations, quotas, signal, ...context }) => {
  // A dry run is one transaction: it blocks other writers of its store, and delays the feeds of all stores.
  const { maxDryRunMs = 2 * 60_000 } = context
  const { db } = catalogue
  const request = attempt.options as unknown as StoreImport
  const from = attempt.position ?? undefined
  // The attempt before saved the problems of rows after its position, which are read again; a dry run has no position.
  attempt.problems = from ? attempt.problems.filter(({ row }) => row <= from.counts.rows) : []
  attempt.counts = from?.counts ?? noCounts
  const writeOutput = partsWriter(attempt, 'output', quotas)
  const append: ReportSink['append'] = async (at, text, transaction) => {
    const parts = partsOf(text)
    // In the transaction of the rows, so that no failure is lost or reported twice. A dry run's is rolled back.
    const to = request.dryRun || !transaction ? db : transaction
    await writeAsCurrent(to, attempt, (within) => writeOutput(within, at, parts))
    return at + parts.length
  }
  const report = reportTo({ append }, from?.reportEnd)
  const deadline = request.dryRun ? AbortSignal.timeout(maxDryRunMs) : undefined
  if (!from) await writeAsCurrent(db, attempt, (transaction) => deleteParts(transaction, attempt, 'output'))
  const result = await importFile(db, readInput(db, attempt), request, {
    enumerations,
    origin: attempt.origin ? { ...attempt.origin, via: 'job', operation: 'import' } : undefined,
    from,
    reopen: () => readInput(db, attempt),
    report: keptReport(attempt, report),
    savePosition: async (position, transaction) => {
      attempt.counts = position.counts
      const isSaved = await (request.dryRun ? saveProgress(db, attempt) : saveProgress(transaction, attempt, position))
      if (!isSaved) throw new Error('another attempt at the job has begun')
    },
    signal: deadline ? AbortSignal.any([signal, deadline]) : signal,
  })
  attempt.notes = result.notes
  signal.throwIfAborted()
  if (isUnavailable(result.cause)) throw result.cause
  await report.end()
  attempt.counts = result.counts
  return result.stopped && deadline?.aborted
    ? `${result.stopped}: a dry run may take ${maxDryRunMs / 1000} s; use a part of the file, or \`catalog import --dry-run\``
    : result.stopped
}
