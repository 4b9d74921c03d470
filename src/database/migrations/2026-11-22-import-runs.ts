import { type Kysely, sql } from 'kysely'

/** How far an import has come that has not reached its end: written in the transaction of each chunk, gone when all of the file is in. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table import_run (
    store_uuid uuid not null,
    file text collate "C" not null,
    content text not null,
    options text not null,
    counts jsonb not null,
    report_bytes bigint not null,
    updated_at timestamptz not null default now(),
    primary key (store_uuid, file)
  )`.execute(db)
}
