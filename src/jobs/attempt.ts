import { type Kysely, sql, type Transaction } from 'kysely'
import type { Catalogue, Origin } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { takeLocks } from '../catalogue/locks.ts'
import type { Database } from '../database/tables.ts'
import type { ImportReport } from '../import/import-file.ts'
import type { ImportPosition } from '../import/position.ts'
import { type FailedRow, problemOf } from '../import/report/failed-row.ts'
import { asTransaction, type Job, type JobKey } from './job.ts'
import { ago, diedTwice, heartbeats, maxCrashes } from './liveness.ts'
import { deleteParts } from './parts.ts'
import type { JobQuotas } from './quotas.ts'

/** One attempt at a job. Once a later attempt has begun, updates of an earlier one change nothing. */
export interface AttemptKey extends JobKey {
  attempt: number
}

/** What an attempt works on, in its thread. */
export interface Attempt extends AttemptKey, Pick<Job, 'kind' | 'counts' | 'problems' | 'notes' | 'recognized'> {
  options: Record<string, unknown>
  /** Who started the job; null: its changes are not recorded. */
  origin: Origin | null
  /** Where an import was interrupted; null: it begins at the start. */
  position: ImportPosition | null
}

/** Does the work of an attempt and keeps its counts and problems up to date. Returns the fault of the input, if any. */
export type RunJob = (
  catalogue: Catalogue,
  attempt: Attempt,
  context: { enumerations: Enumerations; quotas: JobQuotas; signal: AbortSignal; maxDryRunMs?: number },
) => Promise<string | undefined>

/**
 * Begins an attempt at a job. Returns undefined when the job has ended, or ends now because of its crashes. Throws, and
 * leaves the job as it is, while another job of the store runs. Imports of the command line do not count.
 */
export async function beginAttempt(db: Kysely<Database>, { storeUuid, jobId }: JobKey) {
  const { rows } = await db.transaction().execute(async (transaction) => {
    await takeLocks(transaction, storeUuid, { jobs: 'all' })
    const running = await sql`
      select from job where store_uuid = ${storeUuid} and job_id <> ${jobId} and state = 'running' and file is null
        and heartbeat_at > ${ago(heartbeats.attempt.lastsSeconds)}`.execute(transaction)
    if (running.rows.length > 0) throw new Error('another job of the store is running')
    return sql<AttemptKey & { crashes: number }>`
      update job set
        state = 'running', attempt = attempt + 1, crashes = crashes + (state = 'running')::integer,
        started_at = least(started_at, now()), heartbeat_at = now()
      where store_uuid = ${storeUuid} and job_id = ${jobId} and state in ('queued', 'running')
      returning store_uuid as "storeUuid", job_id as "jobId", attempt, crashes`.execute(transaction)
  })
  const [attempt] = rows
  if (!attempt || attempt.crashes < maxCrashes) return attempt
  await finishJob(db, attempt, diedTwice)
  return undefined
}

/** Reads what the attempt works on; undefined when another one has begun since, or the job is deleted. */
export async function readAttempt(db: Kysely<Database>, { storeUuid, jobId, attempt }: AttemptKey) {
  const running = { store_uuid: storeUuid, job_id: jobId, attempt, state: 'running' } as const
  return db
    .selectFrom('job')
    .select([
      'store_uuid as storeUuid',
      'job_id as jobId',
      'attempt',
      'kind',
      'options',
      'origin',
      'counts',
      'problems',
      'notes',
      'recognized',
      'position',
    ])
    .where(({ and }) => and(running))
    .$castTo<Attempt>()
    .executeTakeFirst()
}

const maxProblems = 20

/** The report of an import, of which its job keeps how the file is written and the first problems. */
export function keptReport(attempt: Attempt, report: ImportReport): ImportReport {
  return {
    begin: (columns, recognized) => {
      attempt.recognized = recognized
      return report.begin(columns, recognized)
    },
    add: (rows, end, transaction) => {
      keepProblems(attempt, rows)
      return report.add(rows, end, transaction)
    },
  }
}

/** Keeps the first problems of an import: its failed rows of a chunk. A chunk that is retried is added again. */
function keepProblems(attempt: Attempt, rows: readonly FailedRow[]): void {
  const [first] = rows
  if (!first) return
  attempt.problems = attempt.problems.filter(({ row }) => row < first.row.number)
  const problems = rows.slice(0, maxProblems).flatMap(({ row, faults }) => faults.map((fault) => problemOf(row, fault)))
  attempt.problems.push(...problems.slice(0, maxProblems - attempt.problems.length))
}

/**
 * Saves how far the attempt is; in the transaction of rows also the position after them. Returns false when another
 * attempt has begun since, or the job is deleted.
 */
export async function saveProgress(
  db: Kysely<Database>,
  attempt: Attempt,
  position?: ImportPosition,
): Promise<boolean> {
  const { counts, problems, notes, recognized } = attempt
  const { numUpdatedRows } = await updateOf(db, attempt)
    .set({
      counts: JSON.stringify(counts),
      problems: storable(problems),
      notes: storable(notes),
      recognized: storable(recognized),
      ...(position && { position: JSON.stringify(position) }),
    })
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** JSON text of what quotes a file: PostgreSQL's JSON holds neither NUL nor lone surrogates. */
function storable(value: unknown): string {
  const textOf = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')
  return JSON.stringify(value, (_key, member) => (typeof member === 'string' ? textOf(member) : member))
}

/** Runs a write of the attempt in a transaction. Throws when another attempt has begun since, or the job is deleted. */
export function writeAsCurrent(
  db: Kysely<Database>,
  attempt: AttemptKey,
  write: (transaction: Transaction<Database>) => Promise<void>,
): Promise<void> {
  return asTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await updateOf(transaction, attempt).executeTakeFirst()
    if (numUpdatedRows !== 1n) throw new Error('another attempt at the job has begun, or the job is deleted')
    await write(transaction)
  })
}

/** Records that the attempt is still running. */
export async function heartbeat(db: Kysely<Database>, attempt: AttemptKey): Promise<void> {
  await updateOf(db, attempt).execute()
}

/** Ends the attempt, so that the next one can begin and this one does not count as a crash. */
export async function requeue(db: Kysely<Database>, attempt: AttemptKey): Promise<void> {
  await updateOf(db, attempt).set({ state: 'queued' }).execute()
}

/**
 * Ends the job, as failed if there is an error. Deletes its input, the output of an export that failed, and its
 * position, unless it `canResume`.
 */
export async function finishJob(
  db: Kysely<Database>,
  attempt: AttemptKey,
  error: string | undefined,
  canResume = false,
): Promise<void> {
  const state = error === undefined ? 'succeeded' : 'failed'
  await db.transaction().execute(async (transaction) => {
    const ended = updateOf(transaction, attempt).set({ state, error: error ?? null, finished_at: sql`now()` })
    const last = canResume ? ended : ended.set({ position: null })
    const job = await last.returning('kind').executeTakeFirst()
    if (job) await deleteParts(transaction, attempt, 'input')
    if (job?.kind === 'export' && state === 'failed') await deleteParts(transaction, attempt, 'output')
  })
}

function updateOf(db: Kysely<Database>, { storeUuid, jobId, attempt }: AttemptKey) {
  return db
    .updateTable('job')
    .set({ heartbeat_at: sql`now()` })
    .where(({ and }) => and({ store_uuid: storeUuid, job_id: jobId, attempt, state: 'running' }))
}
