import { type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue/catalogue.ts'
import { allOf, type KeysetPage, keysetConditions } from '../catalogue/conditions.ts'
import type { Database } from '../database/tables.ts'
import { type Counts, noCounts } from '../import/position.ts'
import type { Recognized } from '../import/read/row.ts'
import type { Problem } from '../import/report/failed-row.ts'
import type { Note } from '../import/report/notes.ts'
import { storeUuidOf } from '../text.ts'
import { ago, heartbeats } from './liveness.ts'

export interface JobKey {
  storeUuid: string
  jobId: string
}

/** An import or export that runs in the background, as the API shows it. */
export interface Job extends JobKey {
  kind: 'import' | 'export'
  state: 'uploading' | 'queued' | 'running' | 'succeeded' | 'failed'
  /** What an import has done with the rows of a file so far; of other jobs only `rows`, the number of products. */
  counts: Counts
  problems: Problem[]
  notes: Note[]
  /** How the file of an import is written, as far as it is known. */
  recognized: Partial<Recognized>
  error: string | null
  /** Of the request that the changes of an import are recorded with; null: they are not. */
  requestId: string | null
  createdAt: Date
  startedAt: Date | null
  heartbeatAt: Date | null
  finishedAt: Date | null
}

/** Does the work in the present transaction, or in one of its own. */
export function asTransaction<T>(db: Kysely<Database>, work: (transaction: Transaction<Database>) => Promise<T>) {
  return db.isTransaction ? work(db as Transaction<Database>) : db.transaction().execute(work)
}

export const jobColumns = [
  ...(['store_uuid as storeUuid', 'job_id as jobId', 'kind', 'state', 'counts', 'problems', 'notes'] as const),
  ...(['recognized', 'error'] as const),
  sql<string | null>`origin ->> 'requestId'`.as('requestId'),
  ...(['created_at as createdAt', 'started_at as startedAt', 'heartbeat_at as heartbeatAt'] as const),
  'finished_at as finishedAt',
] as const

/** How a job begins: who its origin is, besides what the table says of itself. */
interface NewJob extends Omit<Insertable<Database['job']>, 'store_uuid' | 'job_id' | 'options' | 'origin' | 'counts'> {
  options: object
  origin?: object | null | undefined
}

/** Inserts a job that has done nothing yet. */
export function insertJob(db: Kysely<Database>, key: JobKey, { options, origin, ...values }: NewJob): Promise<Job> {
  const ids = { store_uuid: key.storeUuid, job_id: key.jobId }
  const texts = { options: JSON.stringify(options), counts: JSON.stringify(noCounts) }
  return db
    .insertInto('job')
    .values({ ...ids, ...values, ...texts, origin: origin ? JSON.stringify(origin) : null })
    .returning(jobColumns)
    .$castTo<Job>()
    .executeTakeFirstOrThrow()
}

/** The job with this id, or undefined when there is none or the viewer may not see its store. */
export async function findJob(catalogue: Catalogue, jobId: string): Promise<Job | undefined> {
  return (await findJobs(catalogue, [jobId])).get(jobId)
}

/** The same for several, by their ids as given. One statement. */
export async function findJobs({ db, viewer: { stores } }: Catalogue, jobIds: readonly string[]) {
  const uuids = jobIds.map(storeUuidOf)
  const known = uuids.filter((uuid) => uuid !== undefined)
  const found = db.selectFrom('job').select(jobColumns).where(sql<boolean>`job_id = any(${known}::uuid[])`)
  const jobs = known.length === 0 ? [] : await found.$castTo<Job>().execute()
  const visible = new Map(jobs.filter((job) => stores?.has(job.storeUuid) ?? true).map((job) => [job.jobId, job]))
  return new Map(jobIds.map((jobId, i) => [jobId, visible.get(uuids[i] ?? '')]))
}

/** Deletes a job, its input and output, and returns it; undefined if `findJob` finds none. A running job stops soon. */
export async function deleteJob(catalogue: Catalogue, jobId: string): Promise<Job | undefined> {
  const job = await findJob(catalogue, jobId)
  if (!job) return undefined
  const found = catalogue.db.deleteFrom('job').where('store_uuid', '=', job.storeUuid).where('job_id', '=', job.jobId)
  return found.returning(jobColumns).$castTo<Job>().executeTakeFirst()
}

/**
 * Deletes the jobs that ended too long ago, and uploads that nobody receives any more, each by one statement: with its
 * files, a job may be large.
 */
export async function deleteOldJobs(db: Kysely<Database>, keptMs: number): Promise<void> {
  const old = db
    .selectFrom('job')
    .select(['store_uuid', 'job_id'])
    .where(({ or, and, eb }) =>
      or([
        eb('finished_at', '<', ago(keptMs / 1000)),
        and([eb('state', '=', 'uploading'), eb('heartbeat_at', '<', ago(heartbeats.upload.lastsSeconds))]),
      ]),
    )
  for (const key of await old.execute()) {
    await db
      .deleteFrom('job')
      .where(({ and }) => and(key))
      .execute()
  }
}

/** Rows per second so far; null before the job starts. */
export function rateOf({ counts, startedAt, heartbeatAt, finishedAt }: Job): number | null {
  const until = finishedAt ?? heartbeatAt
  if (!startedAt || !until) return null
  return counts.rows / Math.max((until.getTime() - startedAt.getTime()) / 1000, 0.001)
}

const withFailures = 'succeeded with failures'

/** The state of a job as it is shown: that rows of a finished import have failed is part of it. */
export type ShownState = Job['state'] | typeof withFailures

export function stateOf({ state, counts }: Job): ShownState {
  return state === 'succeeded' && counts.failed + counts.assetsFailed > 0 ? withFailures : state
}

/** All given conditions must hold. */
export interface JobFilter {
  kind?: readonly Job['kind'][] | null | undefined
  state?: readonly ShownState[] | null | undefined
}

/** A page of a store's jobs in the order of their ids, which is the order of their creation. */
export function listJobs(catalogue: Catalogue, storeUuid: string, filter: JobFilter, page: KeysetPage): Promise<Job[]> {
  const found = catalogue.db
    .selectFrom('job')
    .select(jobColumns)
    .where('store_uuid', '=', visibleStore(catalogue, storeUuid))
    .where(allOf([matching(filter), ...keysetConditions(page, 'job_id')]))
    .orderBy('job_id', page.backwards ? 'desc' : 'asc')
    .limit(page.limit)
  return found.$castTo<Job>().execute()
}

export async function countJobs(catalogue: Catalogue, storeUuid: string, filter: JobFilter): Promise<number> {
  const row = await catalogue.db
    .selectFrom('job')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('store_uuid', '=', visibleStore(catalogue, storeUuid))
    .where(matching(filter))
    .executeTakeFirstOrThrow()
  return row.count
}

function matching({ kind, state }: JobFilter) {
  const shown = sql`case when state = 'succeeded' and (counts ->> 'failed')::int + (counts ->> 'assetsFailed')::int > 0 then ${withFailures} else state end`
  return allOf([
    kind != null && sql<boolean>`kind = any(${[...kind]}::text[])`,
    state != null && sql<boolean>`${shown} = any(${[...state]}::text[])`,
  ])
}
