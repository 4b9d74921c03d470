import { type Kysely, sql } from 'kysely'

/** Tokens get stores, an end and a last use. Whatever takes something from a token is told to every instance, also what is done by hand. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table token
    add column stores uuid[],
    add column expires_at timestamptz,
    add column revoked_at timestamptz,
    add column last_used_at timestamptz`,

  `create function notify_token() returns trigger language plpgsql as $$
  begin
    perform pg_notify('catalogue_token', old.token_id::text);
    return null;
  end $$`,
  `create trigger token_changed after update of hash, scopes, stores, expires_at, revoked_at or delete on token
    for each row execute function notify_token()`,
]
