import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Origin } from '../catalogue/catalogue.ts'
import type { Database } from '../database/tables.ts'
import { messageOf } from '../errors.ts'
import type { ImportReport, ImportResult } from '../import/import.ts'
import type { Counts } from '../import/report/counts.ts'
import { type Attempt, type AttemptKey, finishJob, heartbeat, keepProblems, saveProgress } from './attempt.ts'

interface CommandLineImport {
  storeUuid: string
  file: string
  /** Whose changes are recorded. */
  origin: Origin | undefined
  /** The rows that an interrupted import has done. */
  counts: Counts
}

/** The attempts of the queue have numbers from 1. */
const attemptNumber = 0
const heartbeatMs = 60_000

/**
 * Runs an import of the command line as a job of its store, so that the API shows it. The report that `run` gets saves
 * the progress with each chunk; the import stops when the job is deleted. A timer sends heartbeats between chunks,
 * because the input may be slow, such as a pipe.
 */
export async function runAsJob(
  db: Kysely<Database>,
  { storeUuid, file, origin, counts }: CommandLineImport,
  report: ImportReport,
  run: (report: ImportReport, onProgress: (counts: Counts) => void) => Promise<ImportResult>,
): Promise<ImportResult> {
  const job: Attempt = {
    ...{ storeUuid, jobId: uuidv7(), kind: 'import', attempt: attemptNumber, options: { file } },
    ...{ origin: origin ?? null, counts, problems: [] },
  }
  await insert(db, job)
  // If the database cannot be reached, the error of the import itself is reported.
  const end = (error: string | undefined) =>
    saveProgress(db, job)
      .then(() => finishJob(db, job, error))
      .catch(() => {})
  const saving: ImportReport = {
    begin: (columns) => report.begin(columns),
    add: async (rows, length, transaction) => {
      keepProblems(job, rows)
      if (!(await saveProgress(transaction, job))) throw new Error(await endOf(transaction, job))
      return report.add(rows, length, transaction)
    },
  }
  const beat = setInterval(() => heartbeat(db, job).catch(() => {}), heartbeatMs).unref()
  try {
    const result = await run(saving, (now) => {
      job.counts = now
    })
    job.counts = result.counts
    await end(result.stopped)
    return result
  } catch (error) {
    await end(messageOf(error))
    throw error
  } finally {
    clearInterval(beat)
  }
}

/** Why a job is no longer running. */
async function endOf(db: Kysely<Database>, { storeUuid, jobId }: AttemptKey): Promise<string> {
  const found = db.selectFrom('job').select('state').where('store_uuid', '=', storeUuid).where('job_id', '=', jobId)
  return (await found.executeTakeFirst())
    ? 'its job was ended meanwhile: the command had no heartbeat for an hour'
    : 'its job was deleted'
}

async function insert(db: Kysely<Database>, { storeUuid, jobId, kind, attempt, options, origin, counts }: Attempt) {
  const now = new Date()
  await db
    .insertInto('job')
    .values({
      ...{ store_uuid: storeUuid, job_id: jobId, kind, state: 'running', attempt, started_at: now, heartbeat_at: now },
      options: JSON.stringify(options),
      origin: origin && JSON.stringify(origin),
      counts: JSON.stringify(counts),
    })
    .execute()
}

/** Ends the jobs of imports that were killed: they have had no heartbeat for an hour. */
export async function endKilledImports(db: Kysely<Database>): Promise<void> {
  await sql`
    update job set state = 'failed', finished_at = heartbeat_at,
      error = 'the command has had no heartbeat for an hour: it was killed, or its machine stopped'
    where state = 'running' and attempt = ${attemptNumber} and heartbeat_at < now() - interval '1 hour'`.execute(db)
}
