import { type Kysely, sql } from 'kysely'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Database } from '../database/tables.ts'
import type { Counts } from '../import/report/counts.ts'
import type { Problem } from '../import/report/report-format.ts'
import { storeUuidOf } from '../text.ts'

export interface JobKey {
  storeUuid: string
  jobId: string
}

/** An import or export that runs in the background, as the API shows it. */
export interface Job extends JobKey {
  kind: 'import' | 'export'
  state: 'queued' | 'running' | 'succeeded' | 'failed'
  /** What an import has done with the rows of a file so far; of an export only `rows`, the number of products. */
  counts: Counts
  problems: Problem[]
  error: string | null
  createdAt: Date
  startedAt: Date | null
  heartbeatAt: Date | null
  finishedAt: Date | null
}

export const jobColumns = [
  ...(['store_uuid as storeUuid', 'job_id as jobId', 'kind', 'state', 'counts', 'problems', 'error'] as const),
  ...(['created_at as createdAt', 'started_at as startedAt', 'heartbeat_at as heartbeatAt'] as const),
  'finished_at as finishedAt',
] as const

/** The job with this id, or undefined when there is none or the viewer may not see its store. */
export async function findJob({ db, viewer: { stores } }: Catalogue, jobId: string): Promise<Job | undefined> {
  const uuid = storeUuidOf(jobId)
  if (uuid === undefined) return undefined
  const found = db.selectFrom('job').select(jobColumns).where('job_id', '=', uuid)
  const job = await found.$castTo<Job>().executeTakeFirst()
  return job && (stores?.has(job.storeUuid) ?? true) ? job : undefined
}

/** Deletes the jobs that ended more than seven days ago, with their output. */
export async function deleteOldJobs(db: Kysely<Database>): Promise<void> {
  await sql`
    with old as (
      delete from job where finished_at < now() - interval '7 days' returning store_uuid, job_id
    )
    delete from job_part p using old where p.store_uuid = old.store_uuid and p.job_id = old.job_id`.execute(db)
}

/** Rows per second so far; null before the job starts. */
export function rateOf({ counts, startedAt, heartbeatAt, finishedAt }: Job): number | null {
  const until = finishedAt ?? heartbeatAt
  if (!startedAt || !until) return null
  return counts.rows / Math.max((until.getTime() - startedAt.getTime()) / 1000, 0.001)
}
