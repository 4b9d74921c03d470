import { type Kysely, sql } from 'kysely'

/**
 * Row-level security on every table of tenants, for a role that requests of store-limited tokens are run by. The owner of the tables is not bound by
 * it. Who may not create roles goes without: then the query functions' own wall stands alone, and the gateway says so.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(role).execute(db)
  for (const table of tables) {
    await sql.raw(`alter table ${table} enable row level security`).execute(db)
    // In a subquery the setting is read once for a statement, not once for each row.
    await sql
      .raw(`create policy own_stores on ${table} using (
        store_uuid = any ((select current_setting('catalogue.stores')::uuid[])::uuid[]))`)
      .execute(db)
  }
  await sql.raw(grants).execute(db)
}

const tables = ['store', 'attribute_definition', 'product', 'asset', 'asset_link', 'asset_group', 'asset_group_range']

/** Roles belong to the server, not to one database: another may have made it, or be making it now. */
const role = `
  do $$
  begin
    create role catalogue_tenant nologin;
  exception
    when duplicate_object or unique_violation or insufficient_privilege then null;
  end $$`

const grants = `
  do $$
  begin
    grant select, insert, update, delete on ${tables.join(', ')} to catalogue_tenant;
    execute format('grant usage on schema %I to catalogue_tenant', current_schema());
    if not pg_has_role(current_user, 'catalogue_tenant', 'member') then
      execute format('grant catalogue_tenant to %I', current_user);
    end if;
  exception
    when undefined_object or insufficient_privilege or invalid_grant_operation then null;
  end $$`
