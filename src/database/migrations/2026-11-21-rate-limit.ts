import { type Kysely, sql } from 'kysely'

/** How many requests a token has made in its minute, where several instances count together. Not worth a write to the log of what must survive. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create unlogged table rate_limit (
    key varchar(255) primary key,
    points integer not null default 0,
    expire bigint
  )`.execute(db)
}
