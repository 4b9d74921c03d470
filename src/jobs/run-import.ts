import type { Catalogue } from '../catalogue/catalogue.ts'
import { isUnavailable } from '../database/unavailable.ts'
import { importFile } from '../import/import.ts'
import type { FailedRow } from '../import/load/map-row.ts'
import { type ImportOptions, importRequest } from '../import/options.ts'
import { findPosition, forgetRun } from '../import/position.ts'
import { noCounts } from '../import/report/counts.ts'
import { reportedRows, reportFormats } from '../import/report/report-format.ts'
import { type Attempt, type JobControl, type JobResult, saveProgress } from './attempt.ts'
import { readInput, writeParts } from './parts.ts'

const maxProblems = 20

/** Runs an import from the position of the attempt before. Its output is the rows that fail, in the format of the input. */
export async function runImport(
  catalogue: Catalogue,
  attempt: Attempt,
  { enumerations, signal, onProgress }: JobControl,
): Promise<JobResult> {
  const { db } = catalogue
  const request = importRequest('content', attempt.options as unknown as ImportOptions)
  const { storeUuid, jobId } = attempt
  const key = { storeUuid, file: `job ${jobId}`, content: jobId, options: '', report: null }
  const run = request.dryRun ? undefined : key
  const from = run && (await findPosition(db, run))
  const report = reportFormats[request.format]
  // The attempt before saved the problems of rows after its position, which are read again; a dry run has no position.
  attempt.problems = from ? attempt.problems.filter(({ row }) => row <= from.counts.rows) : []
  let columns: readonly string[] = []
  attempt.counts = from?.counts ?? noCounts
  let parts = from?.reportBytes ?? 0
  const reportOfDryRun: string[] = []
  const textOf = (rows: readonly FailedRow[], isFirst: boolean) => {
    const texts = reportedRows(rows).map((row) => report.row(row, columns).toString())
    return texts.length === 0 ? [] : [(isFirst ? report.head(columns) : report.between) + texts.join(report.between)]
  }
  const result = await importFile(catalogue, readInput(db, attempt), request, {
    enumerations,
    run,
    from,
    report: {
      begin: async (named) => {
        columns = named
      },
      add: async (rows, partsBefore, transaction) => {
        const first = rows[0]?.row.number ?? 0
        if (first > 0) attempt.problems = attempt.problems.filter(({ row }) => row < first)
        attempt.problems.push(...problemsOf(rows).slice(0, maxProblems - attempt.problems.length))
        const text = textOf(rows, partsBefore === 0)
        if (!run) reportOfDryRun.push(...text)
        else {
          // In the transaction of the rows themselves, so that no failure is lost or reported twice.
          await writeParts(transaction, attempt, 'output', partsBefore, text)
          if (!(await saveProgress(transaction, attempt))) throw new Error('another attempt at the job has begun')
        }
        parts = partsBefore + text.length
        return parts
      },
    },
    onProgress: (now) => {
      attempt.counts = now
      onProgress(now)
    },
    signal,
  })
  signal.throwIfAborted()
  if (isUnavailable(result.cause)) throw result.cause
  await writeParts(db, attempt, 'output', 0, reportOfDryRun)
  if (parts > 0) await writeParts(db, attempt, 'output', parts, [report.foot])
  if (run) await forgetRun(db, run)
  return { error: result.stopped, counts: result.counts }
}

function problemsOf(rows: readonly FailedRow[]) {
  return rows.flatMap(({ row: { number: first, rows, code }, faults }) =>
    faults.map(({ field, reason, row: number = first }) => ({
      row: number,
      line: rows.find((row) => row.number === number)?.line ?? null,
      productCode: code ?? null,
      field: field ?? null,
      reason,
    })),
  )
}
