import type { Command } from 'commander'
import { requireStore } from '../../catalogue/stores/stores.ts'
import { CatalogueError } from '../../errors.ts'
import { findJob, type Job, rateOf } from '../../jobs/job.ts'
import { listJobs, stateOf } from '../../jobs/list-jobs.ts'
import { findStoreUuid } from '../find-store.ts'
import { wholeNumber } from '../option-values.ts'
import { tableOf } from '../table.ts'
import { withDatabase } from '../with-database.ts'

interface ListOptions {
  store: string
  limit: number
  json: boolean
}

export function addJob(program: Command): void {
  const job = program.command('job').description('list and show imports and exports')
  job
    .command('list')
    .description("list a store's jobs, the latest first")
    .requiredOption('--store <store>', 'the store: its UUID, or its name if no other store has it')
    .option('--limit <n>', 'how many jobs at most', wholeNumber(1, 10_000), 20)
    .option('--json', 'print one JSON object on stdout', false)
    .action(async ({ store, limit, json }: ListOptions, command: Command) => {
      const jobs = await withDatabase(async ({ db, catalogue }) => {
        const uuid = await requireStore(catalogue, await findStoreUuid(db, store), 'store')
        return listJobs(catalogue, uuid, {}, { limit, backwards: true })
      }).catch((error: unknown) => {
        if (error instanceof CatalogueError) command.error(`error: ${error.message}`, { exitCode: 2 })
        throw error
      })
      if (json) return print({ jobs: jobs.map(inJson) })
      const rows = jobs.map((one) => [
        ...[one.jobId, one.kind, stateOf(one), one.createdAt.toISOString()],
        ...[one.counts.rows, one.counts.failed].map(String),
      ])
      process.stdout.write(tableOf([['ID', 'KIND', 'STATE', 'CREATED', 'ROWS', 'FAILED'], ...rows]))
    })
  job
    .command('show')
    .description('show a job, with the first faults of an import')
    .argument('<id>', 'the id of the job')
    .option('--json', 'print one JSON object on stdout', false)
    .action(async (id: string, { json }: { json: boolean }, command: Command) => {
      const found = await withDatabase(({ catalogue }) => findJob(catalogue, id))
      if (!found) return command.error(`error: there is no job ${JSON.stringify(id)}`, { exitCode: 2 })
      if (json) return print(inJson(found))
      const { problems, ...fields } = inJson(found)
      const cells = Object.entries(fields).map(([name, value]) => [name, String(value ?? '')])
      const faults = problems.map(
        ({ row, field, reason }) => `row ${row}: ${field === null ? '' : `${field} `}${reason}\n`,
      )
      process.stdout.write(tableOf(cells) + faults.join(''))
    })
}

function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
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
