import type { Kysely } from 'kysely'
import type { Database } from '../database/tables.ts'
import { isUnavailable } from '../database/unavailable.ts'
import { importFile } from '../import/import-file.ts'
import type { ImportRequest } from '../import/options.ts'
import { noCounts } from '../import/position.ts'
import { type ReportFormat, reportFormat, reportText } from '../import/report/report-format.ts'
import { keepProblems, type RunJob, saveProgress, writeAsCurrent } from './attempt.ts'
import { deleteParts, partsOf, partsWriter, readInput } from './parts.ts'

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
