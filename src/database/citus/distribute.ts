import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../tables.ts'
import { tenantRole } from '../tenant.ts'

/** Spread by store; `store` comes first, as the rows of the others are kept on the server of their store. */
const spread = [
  ...['store', 'attribute_definition', 'product', 'asset', 'asset_link'],
  ...['asset_group', 'asset_group_range', 'asset_group_total', 'job_part', 'change'],
  ...['channel_requirement', 'channel_readiness', 'product_gap', 'measure', 'product_total'],
  ...['product_value', 'value_count'],
]
/** Whole on each server; the last one has no stores. */
const copied = ['job', 'import_run', 'change_reader', 'change_horizon']

export interface Distribution {
  /** Servers that keep stores. */
  servers: number
  /** What is to be done: nothing where the stores are spread already. */
  spread: readonly string[]
  copied: readonly string[]
}

/** What `distribute` would do. Throws where that cannot be done. */
export async function planDistribution(db: Kysely<Database>): Promise<Distribution> {
  if (!(await hasCitus(db))) {
    throw new Error(
      'the database has no extension citus: install Citus on every server, run "create extension citus" in this database on each, and add the servers by citus_add_node',
    )
  }
  const { rows } = await sql<{ servers: number; migrated: boolean; done: boolean }>`
    select count(*)::int as servers, to_regclass('store') is not null as migrated,
      exists (select from pg_dist_partition where logicalrelid = to_regclass('store')) as done
    from pg_dist_node where isactive and shouldhaveshards`.execute(db)
  const [{ servers, migrated, done } = { servers: 0, migrated: false, done: false }] = rows
  if (!migrated) throw new Error('the database has no tables yet: run "catalog migrate" first')
  if (servers === 0) throw new Error('no server is to keep stores: add one by "select citus_add_node(host, port)"')
  return { servers, spread: done ? [] : spread, copied: done ? [] : copied }
}

/** Spreads the stores over the servers of Citus, in one transaction. Throws where that cannot be done. */
export async function distribute(db: Kysely<Database>): Promise<Distribution> {
  const plan = await planDistribution(db)
  if (plan.spread.length === 0) return plan
  await db.transaction().execute(async (transaction) => {
    for (const statement of statements()) await statement.execute(transaction)
  })
  return plan
}

async function hasCitus(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/** A statement that runs another one on each server but this, where that has not been done before. */
function onServers(statement: string): RawBuilder<unknown> {
  const block = `do $$ begin ${statement}; exception when duplicate_object or invalid_grant_operation then null; end $$`
  return sql`select run_command_on_workers(${block})`
}

/**
 * Citus sends a policy to each server as it is, and knows no subqueries there. `set local role` and the stores of a
 * token reach the servers by `propagate_set_commands`, from which `session.ts` sees that stores are spread.
 */
function statements(): RawBuilder<unknown>[] {
  const withStore = (table: string) => (table === 'store' ? 'none' : 'store')
  return [
    sql`set local statement_timeout = 0`,
    sql`set local citus.multi_shard_modify_mode = 'sequential'`,
    // Citus asks each server with the rights of the login, which has none but on the views.
    sql`drop schema report cascade`,
    ...[...spread, ...copied.slice(0, -1)].map(
      (table) => sql`alter policy own_stores on ${sql.table(table)}
        using (store_uuid = any (current_setting('catalogue.stores')::uuid[]))`,
    ),
    onServers(`create role ${tenantRole} nologin`),
    onServers('create extension if not exists pg_trgm; create extension if not exists btree_gin'),
    onServers(`execute format('grant ${tenantRole} to %I', current_user)`),
    // A session that acts as a role connects to the servers as this role. The role has no password.
    sql`do $$ begin
      if exists (select from pg_roles where rolname = 'catalogue_tenant' and not rolcanlogin) then
        alter role catalogue_tenant login;
      end if;
    end $$`,
    // Only what takes a number of a sequence is evaluated on the coordinator, whose transactions the feed knows.
    sql`alter table change alter tx set default case when nextval('change_seq'::text::regclass) > 0 then pg_current_xact_id() end`,
    sql`alter table attribute_definition drop constraint attribute_definition_store_uuid_fkey`,
    sql`alter table job_part drop constraint job_part_store_uuid_job_id_fkey`,
    ...copied.map((table) => sql`select create_reference_table(${table}::text::regclass)`),
    ...spread.map(
      (table) => sql`
        select create_distributed_table(${table}::text::regclass, 'store_uuid', colocate_with => ${withStore(table)}::text)`,
    ),
    sql`alter table attribute_definition add constraint attribute_definition_store_uuid_fkey
      foreign key (store_uuid) references store`,
    sql`alter table job_part add constraint job_part_store_uuid_job_id_fkey
      foreign key (store_uuid, job_id) references job on delete cascade`,
    sql`select create_distributed_function('attributes_fit(jsonb, jsonb, integer, integer)')`,
    // A row takes its number from a sequence: Citus copies such rows, which row-level security does not allow.
    sql`alter table change disable row level security`,
    sql`do $$ begin
      execute format('alter database %I set citus.propagate_set_commands = local', current_database());
    end $$`,
  ]
}
