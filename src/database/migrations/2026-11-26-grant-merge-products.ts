import { type Kysely, sql } from 'kysely'

/** PostgreSQL grants functions to all, unless it was told not to. Where the role is not there, nobody needs it. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(grant).execute(db)
}

const grant = `
  do $$
  begin
    grant execute on function merge_products to catalogue_tenant;
  exception
    when undefined_object or insufficient_privilege then null;
  end $$`
