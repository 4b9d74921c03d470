import type { Command } from 'commander'
import { requireStore } from '../../catalogue/stores/stores.ts'
import { findJob, type Job, rateOf } from '../../jobs/job.ts'
import { listJobs, stateOf } from '../../jobs/list-jobs.ts'
import { findStoreUuid } from '../find-store.ts'
import { storeOption, wholeNumber } from '../option-values.ts'
import { printResult, tableOf } from '../output.ts'
import { withDatabase } from '../with-database.ts'

interface ListOptions {
  store: string
  limit: number
  json: boolean
}

export function addJob(program: Command): void {
  const job = program.command('job').description('list and show imports and exports')
  storeOption(job.command('list'))
    .description("list a store's jobs, the latest first")
    .option('--limit <n>', 'maximum number of jobs', wholeNumber(1, 10_000), 20)
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ store, limit, json }: ListOptions) => {
      const jobs = await withDatabase(async ({ db, catalogue }) => {
        const uuid = await requireStore(catalogue, await findStoreUuid(db, store), 'store')
        return listJobs(catalogue, uuid, {}, { limit, backwards: true })
      })
      const rows = jobs.map((one) => [
        ...[one.jobId, one.kind, stateOf(one), one.createdAt.toISOString()],
        ...[one.counts.rows, one.counts.failed].map(String),
      ])
      const table = tableOf([['ID', 'KIND', 'STATE', 'CREATED', 'ROWS', 'FAILED'], ...rows])
      printResult(json, { jobs: jobs.map(inJson) }, table)
    })
  job
    .command('show')
    .description('show a job, with the first faults of an import')
    .argument('<id>', 'the id of the job')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async (id: string, { json }: { json: boolean }, command: Command) => {
      const found = await withDatabase(({ catalogue }) => findJob(catalogue, id))
      if (!found) return command.error(`error: there is no job ${JSON.stringify(id)}`, { exitCode: 2 })
      const result = inJson(found)
      const { problems, ...fields } = result
      const cells = Object.entries(fields).map(([name, value]) => [name, String(value ?? '')])
      const faults = problems.map(
        ({ row, field, reason }) => `row ${row}: ${field === null ? '' : `${field} `}${reason}`,
      )
      printResult(json, result, [tableOf(cells), ...faults].join('\n'))
    })
}

function inJson(job: Job) {
  const { assetsAdded, linksAdded, ...counts } = job.counts
  const rate = rateOf(job)
  return {
    job_id: job.jobId,
    store_uuid: job.storeUuid,
    kind: job.kind,
    state: stateOf(job),
    ...counts,
    assets_added: assetsAdded,
    links_added: linksAdded,
    rows_per_second: rate === null ? null : Math.round(rate),
    error: job.error,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    problems: job.problems,
  }
}
