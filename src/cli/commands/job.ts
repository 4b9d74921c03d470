import type { Command } from 'commander'
import { findStoreUuid } from '../../catalogue/stores/stores.ts'
import { UsageError } from '../../import/usage-error.ts'
import { findJob, type Job, listJobs, rateOf, stateOf } from '../../jobs/job.ts'
import { jsonFlag, storeOption, wholeNumber, wideFlag } from '../option-values.ts'
import { listOf, printResult, snakeCased, tableOf } from '../output.ts'
import { withDatabase } from '../with-database.ts'

export function addJob(program: Command): void {
  const job = program.command('job').description('list and show imports and exports')
  storeOption(job.command('list'))
    .description("list a store's jobs, the latest first")
    .option('--limit <n>', 'maximum number of jobs', wholeNumber(1, 10_000), 20)
    .option(...wideFlag)
    .option(...jsonFlag)
    .action(async ({ store, limit, wide, json }: { store: string; limit: number; wide: boolean; json: boolean }) => {
      const jobs = await withDatabase(async ({ db, catalogue }) => {
        return listJobs(catalogue, await findStoreUuid(db, store), {}, { limit, backwards: true })
      })
      const rows = jobs.map((one) => [
        ...[one.jobId, one.kind, stateOf(one), one.createdAt.toISOString()],
        ...[one.counts.rows, one.counts.failed],
      ])
      const head = ['ID', 'KIND', 'STATE', 'CREATED', 'ROWS', 'FAILED']
      const table = listOf(head, rows, wide ? undefined : ['ID', 'KIND', 'STATE', 'ROWS'])
      printResult(json, { jobs: jobs.map(inJson) }, table)
    })
  job
    .command('show')
    .description('show a job, with the first faults of an import')
    .argument('<id>', 'the id of the job')
    .option(...jsonFlag)
    .action(async (id: string, { json }: { json: boolean }) => {
      const found = await withDatabase(({ catalogue }) => findJob(catalogue, id))
      if (!found) throw new UsageError(`there is no job ${JSON.stringify(id)}`)
      const { problems, ...fields } = inJson(found)
      const faults = found.problems.map(
        ({ row, field, reason }) => `row ${row}: ${field === null ? '' : `${field} `}${reason}`,
      )
      printResult(json, { ...fields, problems }, [tableOf(Object.entries(fields)), ...faults].join('\n'))
    })
}

function inJson(job: Job) {
  const { jobId, storeUuid, kind, requestId, error, createdAt, startedAt, finishedAt, problems } = job
  const { assetsAdded, linksAdded, ...counts } = job.counts
  const rate = rateOf(job)
  const done = { ...counts, assetsAdded, linksAdded, rowsPerSecond: rate === null ? null : Math.round(rate) }
  const times = { createdAt, startedAt, finishedAt }
  const head = { jobId, storeUuid, kind, state: stateOf(job), requestId }
  return snakeCased({ ...head, ...done, error, ...times, problems })
}
