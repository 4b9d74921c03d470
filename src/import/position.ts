import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'
import { type Counts, noCounts } from './report/counts.ts'
import { UsageError } from './usage-error.ts'

/** Identifies an import: the same file can be resumed with the same options. */
export interface RunKey {
  storeUuid: string
  /** The path of the file, or another name of it. */
  file: string
  /** The hash of its content. */
  content: string
  options: string
  /** The file that failed rows are reported to, if there is one: another report begins empty. */
  report: string | null
}

/** How far a run has come: the first `counts.rows` rows of the file are done. */
export interface RunPosition {
  counts: Counts
  /** The length of the report of these rows. */
  reportBytes: number
}

export const start: RunPosition = { counts: noCounts, reportBytes: 0 }

/**
 * The position of an import that has not reached its end; undefined if there is none. Throws a UsageError if it began
 * with another file or other options.
 */
export async function findPosition(db: Kysely<Database>, key: RunKey): Promise<RunPosition | undefined> {
  const run = await db
    .selectFrom('import_run')
    .select(['content', 'options', 'counts', 'report_file', 'report_bytes'])
    .where('store_uuid', '=', key.storeUuid)
    .where('file', '=', key.file)
    .executeTakeFirst()
  if (!run) return undefined
  const counts = { ...noCounts, ...run.counts }
  const begun = `the import of ${key.file} that stopped after row ${counts.rows}`
  if (run.content !== key.content) {
    throw new UsageError(`--resume: the file has changed since ${begun}; import it from the start, without --resume`)
  }
  if (run.options !== key.options) {
    throw new UsageError(
      `--resume: ${begun} had other options (${run.options}); give the same, or import it from the start, without --resume`,
    )
  }
  return { counts, reportBytes: run.report_file === key.report ? Number(run.report_bytes) : 0 }
}

/** Forgets a run that has reached its end, or that is started again. */
export async function forgetRun(db: Kysely<Database>, { storeUuid, file }: RunKey): Promise<void> {
  await db.deleteFrom('import_run').where('store_uuid', '=', storeUuid).where('file', '=', file).execute()
}

/**
 * Moves a run to its next position, in the transaction that writes the rows between the two. Throws if it is not at
 * `from`: another process imports the same file.
 */
export async function moveRun(
  db: Transaction<Database>,
  { storeUuid, file, content, options, report }: RunKey,
  from: RunPosition,
  to: RunPosition,
): Promise<void> {
  const counts = JSON.stringify(to.counts)
  const isAtFrom = sql`r.content = ${content} and r.options = ${options} and (r.counts ->> 'rows')::bigint = ${from.counts.rows}`
  const first = sql`
    insert into import_run as r (store_uuid, file, content, options, counts, report_file, report_bytes)
    values (${storeUuid}::uuid, ${file}, ${content}, ${options}, ${counts}::jsonb, ${report}, ${to.reportBytes})
    on conflict (store_uuid, file) do update
      set counts = excluded.counts, report_file = excluded.report_file, report_bytes = excluded.report_bytes,
        updated_at = excluded.updated_at
      where ${isAtFrom}`
  const further = sql`
    update import_run r
    set counts = ${counts}::jsonb, report_file = ${report}, report_bytes = ${to.reportBytes}, updated_at = now()
    where r.store_uuid = ${storeUuid}::uuid and r.file = ${file} and ${isAtFrom}`
  const { numAffectedRows } = await (from.counts.rows === 0 ? first : further).execute(db)
  if (numAffectedRows !== 1n) throw new Error(`another import of ${file} is under way`)
}
