import { type Kysely, sql } from 'kysely'

/** Where an import reports the rows that fail: only that report can be gone on with. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table import_run add column report_file text collate "C"`.execute(db)
}
