import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../tables.ts'
import { tenantRole } from '../tenant.ts'

/** Spread by store; `store` comes first, as the rows of the others are kept on the server of their store. */
const spread = [
  ...['store', 'attribute_definition', 'product', 'asset', 'asset_link'],
  ...['asset_group', 'asset_group_range', 'asset_group_total', 'job_part', 'change'],
  ...['channel_requirement', 'channel_readiness', 'product_gap', 'measure', 'product_total'],
  ...['product_value', 'value_count', 'product_text'],
]
/** Whole on each server; the last one has no stores. */
const copied = ['job', 'import_run', 'change_reader', 'change_horizon']

const references = [
  {
    table: 'attribute_definition',
    name: 'attribute_definition_store_uuid_fkey',
    definition: sql`foreign key (store_uuid) references store`,
  },
  {
    table: 'job_part',
    name: 'job_part_store_uuid_job_id_fkey',
    definition: sql`foreign key (store_uuid, job_id) references job on delete cascade`,
  },
]

export interface Distribution {
  /** Servers that keep stores. */
  servers: number
  /** What is to be done: nothing where the tables are spread already. */
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
  const { rows } = await sql<{ servers: number; migrated: boolean; due: string[] }>`
    select count(*)::int as servers, to_regclass('store') is not null as migrated,
      array(select name from unnest(${[...spread, ...copied]}::text[]) name
        where to_regclass(name) not in (select logicalrelid from pg_dist_partition)) as due
    from pg_dist_node where isactive and shouldhaveshards`.execute(db)
  const [{ servers, migrated, due } = { servers: 0, migrated: false, due: [] }] = rows
  if (!migrated) throw new Error('the database has no tables yet: run "catalog migrate" first')
  if (servers === 0) throw new Error('no server is to keep stores: add one by "select citus_add_node(host, port)"')
  const isDue = (table: string) => due.includes(table)
  return { servers, spread: spread.filter(isDue), copied: copied.filter(isDue) }
}

/**
 * Spreads the stores over the servers of Citus, in one transaction: all tables, or those that are not spread yet.
 * Throws where that cannot be done.
 */
export async function distribute(db: Kysely<Database>): Promise<Distribution> {
  return db.transaction().execute(async (transaction) => {
    await useOneConnection(transaction)
    const plan = await planDistribution(transaction)
    for (const statement of isEmpty(plan) ? [] : [...ofServers(), ...ofTables(plan)])
      await statement.execute(transaction)
    return plan
  })
}

/** Runs migrations of a database that is spread; the tables that they add are spread too. */
export async function whileSpread(
  transaction: Transaction<Database>,
  runMigrations: () => Promise<void>,
): Promise<void> {
  await useOneConnection(transaction)
  await runMigrations()
  const plan = await planDistribution(transaction)
  for (const statement of isEmpty(plan) ? [] : ofTables(plan)) await statement.execute(transaction)
}

async function hasCitus(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

function isEmpty({ spread, copied }: Distribution): boolean {
  return spread.length + copied.length === 0
}

async function useOneConnection(transaction: Transaction<Database>): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(transaction)
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(transaction)
}

/** A statement that runs another one on each server but this, where that has not been done before. */
function onServers(statement: string): RawBuilder<unknown> {
  const block = `do $$ begin ${statement}; exception when duplicate_object or invalid_grant_operation then null; end $$`
  return sql`select run_command_on_workers(${block})`
}

/**
 * `set local role` and the stores of a token reach the servers by `propagate_set_commands`, from which `session.ts`
 * sees that stores are spread.
 */
function ofServers(): RawBuilder<unknown>[] {
  return [
    onServers(`create role ${tenantRole} nologin`),
    onServers('create extension if not exists pg_trgm; create extension if not exists btree_gin'),
    onServers(`execute format('grant ${tenantRole} to %I', current_user)`),
    // A session that acts as a role connects to the servers as this role. The role has no password.
    sql`do $$ begin
      if exists (select from pg_roles where rolname = 'catalogue_tenant' and not rolcanlogin) then
        alter role catalogue_tenant login;
      end if;
    end $$`,
    sql`do $$ begin
      execute format('alter database %I set citus.propagate_set_commands = local', current_database());
    end $$`,
  ]
}

/** Citus sends a policy to each server as it is, and knows no subqueries there. */
function ofTables({ spread, copied }: Distribution): RawBuilder<unknown>[] {
  const colocatedWith = (table: string) => (table === 'store' ? 'none' : 'store')
  const hasPolicy = (table: string) => table !== 'change_horizon'
  const ofChanges = (statement: RawBuilder<unknown>) => (spread.includes('change') ? [statement] : [])
  return [
    // Citus asks each server with the rights of the login, which has none but on the views.
    sql`drop schema if exists report cascade`,
    ...[...spread, ...copied].filter(hasPolicy).map(
      (table) => sql`alter policy own_stores on ${sql.table(table)}
        using (store_uuid = any (current_setting('catalogue.stores')::uuid[]))`,
    ),
    // Only what takes a number of a sequence is evaluated on the coordinator, whose transactions the feed knows.
    ...ofChanges(
      sql`alter table change
        alter tx set default case when nextval('change_seq'::text::regclass) > 0 then pg_current_xact_id() end`,
    ),
    ...references.map(
      ({ table, name }) => sql`alter table ${sql.table(table)} drop constraint if exists ${sql.id(name)}`,
    ),
    ...copied.map((table) => sql`select create_reference_table(${table}::text::regclass)`),
    ...spread.map(
      (table) => sql`select create_distributed_table(
        ${table}::text::regclass, 'store_uuid', colocate_with => ${colocatedWith(table)}::text)`,
    ),
    ...references.map(
      ({ table, name, definition }) =>
        sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} ${definition}`,
    ),
    sql`select create_distributed_function('attributes_fit(jsonb, jsonb, integer, integer)')`,
    // A row takes its number from a sequence: Citus copies such rows, which row-level security does not allow.
    ...ofChanges(sql`alter table change disable row level security`),
  ]
}
