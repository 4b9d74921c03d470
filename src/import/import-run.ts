import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'
import { type Counts, noCounts } from './counts.ts'
import { UsageError } from './usage-error.ts'

/** What an import is told by from others: go on is what the same file with the same options can do. */
export interface RunKey {
  storeUuid: string
  /** Where the file lies, or what else it is known by. */
  file: string
  /** The hash of what it holds. */
  content: string
  /** What it is imported with, as a text. */
  options: string
  /** Where the rows that fail are reported, if they are: another report begins anew. */
  report: string | null
}

/** How far a run has come: `counts.rows` rows of the file are worked. */
export interface RunPosition {
  counts: Counts
  /** How much of the report belongs to them. */
  reportBytes: number
}

export const start: RunPosition = { counts: noCounts, reportBytes: 0 }

/**
 * Where an import that has not reached its end goes on; undefined when there is none. Throws a UsageError when the file or
 * the options are others than it began with.
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

/** Forgets a run that has reached its end, or that another one takes the place of. */
export async function forgetRun(db: Kysely<Database>, { storeUuid, file }: RunKey): Promise<void> {
  await db.deleteFrom('import_run').where('store_uuid', '=', storeUuid).where('file', '=', file).execute()
}

/**
 * Moves a run on, in the transaction that writes the rows between the two positions. Throws when it is not where it was left: somebody else
 * imports the same file.
 */
export async function moveRun(
  db: Transaction<Database>,
  { storeUuid, file, content, options, report }: RunKey,
  from: RunPosition,
  to: RunPosition,
): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into import_run as r (store_uuid, file, content, options, counts, report_file, report_bytes)
    select ${storeUuid}::uuid, ${file}, ${content}, ${options}, ${JSON.stringify(to.counts)}::jsonb, ${report}, ${to.reportBytes}
    where ${from.counts.rows === 0}
      or exists (select from import_run where store_uuid = ${storeUuid}::uuid and file = ${file})
    on conflict (store_uuid, file) do update
      set counts = excluded.counts, report_file = excluded.report_file, report_bytes = excluded.report_bytes,
        updated_at = now()
      where r.content = excluded.content and r.options = excluded.options
        and (r.counts ->> 'rows')::bigint = ${from.counts.rows}`.execute(db)
  if (numAffectedRows !== 1n) throw new Error(`another import of ${file} is under way`)
}
