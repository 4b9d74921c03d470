import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Origin } from '../catalogue/catalogue.ts'
import type { Database } from '../database/tables.ts'
import { messageOf } from '../errors.ts'
import type { ImportReport, ImportResult, ImportWork } from '../import/import-file.ts'
import { type ImportPosition, noCounts } from '../import/position.ts'
import { UsageError } from '../import/usage-error.ts'
import { type Attempt, type AttemptKey, finishJob, heartbeat, keptReport, saveProgress } from './attempt.ts'
import { insertJob } from './job.ts'
import { ago, heartbeats } from './liveness.ts'

/** What is imported, and how: only the same can be resumed. */
export interface ImportedFile {
  storeUuid: string
  /** The path of the file, or another name of it. */
  file: string
  /** The hash of its content; undefined: it cannot be read again, such as a pipe. */
  content: string | undefined
  /** The options that decide what is imported, as text. */
  options: string
  /** The file that failed rows are reported to, if there is one: another report begins empty. */
  reportFile: string | null
}

interface CommandLineImport extends ImportedFile {
  /** Whose changes are recorded. */
  origin: Origin | undefined
  resumed: ResumedImport | undefined
}

/** An import that did not reach the end of its file: its last attempt, and where it stopped. */
export interface ResumedImport extends AttemptKey, Pick<Attempt, 'problems'> {
  position: ImportPosition
}

interface Found extends ResumedImport {
  position: ImportPosition & Pick<ImportedFile, 'reportFile'>
  options: Pick<ImportedFile, 'content' | 'options'>
}

/**
 * The interrupted import of a file; undefined if there is none. Throws a UsageError if it began with another content or
 * other options.
 */
export async function findInterrupted(
  db: Kysely<Database>,
  { storeUuid, file, content, options, reportFile }: ImportedFile,
): Promise<ResumedImport | undefined> {
  const found = await db
    .selectFrom('job')
    .select(['job_id as jobId', 'attempt', 'position', 'problems', 'options'])
    .where('store_uuid', '=', storeUuid)
    .where('file', '=', file)
    .where('position', 'is not', null)
    .$castTo<Found>()
    .executeTakeFirst()
  if (!found) return undefined
  const { jobId, attempt, position, problems, options: begun } = found
  const { rows } = position.counts
  const which = `the import of ${file} that stopped after row ${rows}`
  if (begun.content !== content) {
    throw new UsageError(`--resume: the file has changed since ${which}; import it from the start, without --resume`)
  }
  if (begun.options !== options) {
    throw new UsageError(
      `--resume: ${which} had other options (${begun.options}); give the same, or import it from the start, without --resume`,
    )
  }
  const reportEnd = position.reportFile === reportFile ? position.reportEnd : 0
  return {
    ...{ storeUuid, jobId, attempt, position: { counts: position.counts, reportEnd } },
    problems: problems.filter(({ row }) => row <= rows),
  }
}

/**
 * Runs an import of the command line as a job of its store, so that the API shows it and the next command can resume
 * it. The job begins with the report, when the options fit the file. Saves the progress with each chunk; the import
 * stops when the job is deleted, or when another command imports the same file. A timer sends heartbeats between
 * chunks, because the input may be slow, such as a pipe.
 */
export async function runAsJob(
  db: Kysely<Database>,
  imported: CommandLineImport,
  report: ImportReport,
  run: (work: Required<Pick<ImportWork, 'report' | 'savePosition'>>) => Promise<ImportResult>,
): Promise<ImportResult> {
  const canResume = imported.content !== undefined
  const job = attemptAt(imported)
  let hasBegun = false
  const end = async (error: string | undefined, isBroken = false) => {
    if (!hasBegun) return
    // If the database cannot be reached, the error of the import itself is reported.
    await saveProgress(db, job)
      .then(() => finishJob(db, job, error, canResume && error !== undefined && !isBroken))
      .catch(() => {})
  }
  const savePosition: ImportWork['savePosition'] = async (position, transaction) => {
    job.counts = position.counts
    const saved = { ...position, reportFile: imported.reportFile }
    const isSaved = await saveProgress(transaction, job, canResume ? saved : undefined)
    if (!isSaved) throw new Error(await endOf(transaction, job))
  }
  const kept = keptReport(job, report)
  const reporting: ImportReport = {
    ...kept,
    begin: async (columns, recognized) => {
      await begin(db, imported, job)
      hasBegun = true
      await kept.begin(columns, recognized)
    },
  }
  const beat = setInterval(() => heartbeat(db, job).catch(() => {}), heartbeats.command.everyMs).unref()
  try {
    const result = await run({ report: reporting, savePosition })
    job.counts = result.counts
    job.notes = result.notes
    await end(result.stopped, result.isBroken)
    return result
  } catch (error) {
    await end(messageOf(error))
    throw error
  } finally {
    clearInterval(beat)
  }
}

/** The first attempt at a job, or the next one at one that is resumed. */
function attemptAt({ storeUuid, content, options, origin, resumed }: CommandLineImport): Attempt {
  const { jobId = uuidv7(), attempt = 0, position = null, problems = [] } = resumed ?? {}
  const job = { storeUuid, jobId, kind: 'import', options: { content, options }, origin: origin ?? null } as const
  const progress = { position, counts: position?.counts ?? noCounts, problems, notes: [], recognized: {} }
  return { ...job, attempt: attempt + 1, ...progress }
}

/** Begins an attempt. Another import of the file ends. */
async function begin(db: Kysely<Database>, { file, content }: CommandLineImport, job: Attempt): Promise<void> {
  const { storeUuid, jobId, attempt, options, origin } = job
  if (attempt > 1) {
    const { numAffectedRows } = await sql`
      update job set state = 'running', attempt = ${attempt}, heartbeat_at = now(), error = null, finished_at = null
      where store_uuid = ${storeUuid} and job_id = ${jobId} and attempt = ${attempt - 1} and position is not null`.execute(
      db,
    )
    if (numAffectedRows !== 1n) throw new UsageError(`--resume: another import of ${file} is running`)
    return
  }
  if (content !== undefined) {
    await sql`
      update job set state = 'failed', position = null, finished_at = greatest(finished_at, heartbeat_at),
        error = coalesce(error, 'another import of the file has begun')
      where store_uuid = ${storeUuid} and file = ${file} and (state = 'running' or position is not null)`.execute(db)
  }
  const begun = { state: 'running', attempt, started_at: new Date(), heartbeat_at: new Date() } as const
  await insertJob(db, job, { kind: 'import', ...begun, file, options, origin })
}

/** Why a job is no longer running. */
async function endOf(db: Kysely<Database>, { storeUuid, jobId }: AttemptKey): Promise<string> {
  const found = db.selectFrom('job').select('error').where('store_uuid', '=', storeUuid).where('job_id', '=', jobId)
  const job = await found.executeTakeFirst()
  return job ? `its job was ended: ${job.error ?? 'another command resumes it'}` : 'its job was deleted'
}

/** Ends the jobs of imports that were killed: they have had no heartbeat for an hour. They can still be resumed. */
export async function endKilledImports(db: Kysely<Database>): Promise<void> {
  await sql`
    update job set state = 'failed', finished_at = heartbeat_at,
      error = 'the command has had no heartbeat for an hour: it was killed, or its machine stopped'
    where state = 'running' and file is not null and heartbeat_at < ${ago(heartbeats.command.lastsSeconds)}`.execute(db)
}
