import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/tables.ts'
import type { JobCounts, JobProblem } from './job.ts'
import { dropParts, type JobKey } from './parts.ts'

/** A job that this process runs, for as long as nobody else has taken it over. */
export interface ClaimedJob extends JobKey {
  kind: 'import' | 'export'
  options: Record<string, unknown>
  attempt: number
  problems: JobProblem[]
}

/** After so long without a sign of life a job is another's to take: whoever ran it has ended, or cannot reach the database. */
const deadAfterSeconds = 15
/** A job that ended its process so often would do it again. */
const mostAttempts = 5

/** Takes the oldest job that waits, or that nobody runs any more. Several gateways never take the same. */
export async function claimJob(db: Kysely<Database>): Promise<ClaimedJob | undefined> {
  const { rows } = await sql<ClaimedJob>`
    update job set state = 'running', attempt = attempt + 1, started_at = coalesce(started_at, now()), heartbeat_at = now()
    where job_id = (
      select job_id from job
      where state = 'queued' or (state = 'running' and heartbeat_at < now() - make_interval(secs => ${deadAfterSeconds}))
      order by created_at, job_id
      for update skip locked limit 1
    )
    returning store_uuid as "storeUuid", job_id as "jobId", kind, options, attempt, problems`.execute(db)
  const [job] = rows
  if (!job || job.attempt <= mostAttempts) return job
  await finishJob(db, job, { error: `was begun ${mostAttempts} times and never ended`, counts: undefined })
  return undefined
}

/** A sign of life, with how far the job has come. Returns whether it is still this process's. */
export async function beat(db: Kysely<Database>, job: ClaimedJob, counts: Partial<JobCounts>): Promise<boolean> {
  const { numUpdatedRows } = await mine(db, job)
    .set({ heartbeat_at: sql`now()`, counts: JSON.stringify(counts), problems: JSON.stringify(job.problems) })
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Gives a job back, to be taken up by whoever comes next, at once. */
export async function releaseJob(db: Kysely<Database>, job: ClaimedJob): Promise<void> {
  await mine(db, job).set({ state: 'queued', attempt: sql`attempt - 1` }).execute()
}

/** Ends a job: well, or with what went wrong. What went into it is no longer needed. */
export async function finishJob(
  db: Kysely<Database>,
  job: ClaimedJob,
  { error, counts }: { error: string | undefined; counts: Partial<JobCounts> | undefined },
): Promise<void> {
  await mine(db, job)
    .set({
      state: error === undefined ? 'succeeded' : 'failed',
      error: error ?? null,
      problems: JSON.stringify(job.problems),
      heartbeat_at: sql`now()`,
      finished_at: sql`now()`,
      ...(counts && { counts: JSON.stringify(counts) }),
    })
    .execute()
  await dropParts(db, job, 'input')
}

/** Forgets jobs that ended more than a week ago, with what came out of them. */
export async function sweepJobs(db: Kysely<Database>): Promise<void> {
  await sql`
    with old as (
      delete from job where finished_at < now() - interval '7 days' returning store_uuid, job_id
    )
    delete from job_part p using old where p.store_uuid = old.store_uuid and p.job_id = old.job_id`.execute(db)
}

function mine(db: Kysely<Database>, { storeUuid, jobId, attempt }: ClaimedJob) {
  return db
    .updateTable('job')
    .where('store_uuid', '=', storeUuid)
    .where('job_id', '=', jobId)
    .where('attempt', '=', attempt)
    .where('state', '=', 'running')
}
