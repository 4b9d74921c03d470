import { type Kysely, sql } from 'kysely'

/** The answers of keyed writes. `scope` and `body` are hashes; a row without an answer exists only within the transaction that does its work. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table idempotency_key (
    scope bytea primary key,
    body bytea not null,
    answer text,
    created_at timestamptz not null default now()
  )`.execute(db)
  await sql`create index idempotency_key_by_age on idempotency_key (created_at)`.execute(db)
}
