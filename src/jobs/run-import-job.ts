import type { Enumerations } from '../catalog/enumerations.ts'
import type { View } from '../catalog/viewer.ts'
import { isUnavailable } from '../database/unavailable.ts'
import { type Counts, noCounts } from '../import/counts.ts'
import { importFile } from '../import/import-file.ts'
import { findPosition, forgetRun } from '../import/import-run.ts'
import type { FailedRow } from '../import/map-row.ts'
import { reportedRows, reportFormats } from '../import/report-format.ts'
import { type ImportOptions, importRequest } from '../import/request.ts'
import { beat, type ClaimedJob } from './claim.ts'
import { readInput, writeParts } from './parts.ts'
import type { JobEnd, JobWork } from './run-job.ts'

const mostProblems = 20

/** Runs an import from where an earlier attempt left it. The rows that fail come out of it, in the format that they came in. */
export async function runImportJob(
  db: View,
  job: ClaimedJob,
  enumerations: Enumerations,
  { signal, onProgress }: JobWork,
): Promise<JobEnd> {
  const request = importRequest('content', job.options as unknown as ImportOptions)
  const file = `job ${job.jobId}`
  const key = { storeUuid: job.storeUuid, file, content: job.jobId, options: '', report: null }
  const run = request.dryRun ? undefined : key
  const from = run && (await findPosition(db, run))
  const report = reportFormats[request.format]
  // Of an attempt that was a preview nothing is left; of another the problems of the rows behind its position.
  job.problems = from ? job.problems.filter(({ row }) => row <= from.counts.rows) : []
  let columns: readonly string[] = []
  let counts: Counts = from?.counts ?? noCounts
  let parts = from?.reportBytes ?? 0
  const kept: string[] = []
  const textOf = (rows: readonly FailedRow[], isFirst: boolean) => {
    const texts = reportedRows(rows).map((row) => report.row(row, columns).toString())
    return texts.length === 0 ? [] : [(isFirst ? report.head(columns) : report.between) + texts.join(report.between)]
  }
  const result = await importFile(request, {
    db,
    enumerations,
    open: () => readInput(db, job),
    run,
    from,
    onColumns: async (named) => {
      columns = named
    },
    onFailed: async (rows, behind, transaction) => {
      const first = rows[0]?.row.number ?? 0
      if (first > 0) job.problems = job.problems.filter(({ row }) => row < first)
      job.problems.push(...problemsOf(rows).slice(0, mostProblems - job.problems.length))
      const text = textOf(rows, behind === 0)
      if (!run) kept.push(...text)
      else {
        // With the rows themselves: what is known of them is neither lost nor told twice.
        await writeParts(transaction, job, 'output', behind, text)
        if (!(await beat(transaction, job, counts))) throw new Error('the job has been taken over')
      }
      parts = behind + text.length
      return parts
    },
    onProgress: (now) => {
      counts = now
      onProgress(now)
    },
    signal,
  })
  counts = result.counts
  if (signal.aborted) return { state: 'given back' }
  if (isUnavailable(result.cause)) return { state: 'lost' }
  await writeParts(db, job, 'output', 0, kept)
  if (parts > 0) await writeParts(db, job, 'output', parts, [report.foot])
  if (run) await forgetRun(db, run)
  return { state: 'ended', error: result.stopped, counts }
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
