import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { hasCitus } from '../kind.ts'
import { namesOf } from '../registry/table-registry.ts'
import type { Database } from '../tables.ts'
import { tenantRole } from '../tenant.ts'

const distributed = namesOf(({ placement }) => placement === 'distributed')
const withSequence = ['change', 'product_dirty']
const withPolicy = namesOf(({ withoutPolicy }) => !withoutPolicy)

export interface Distribution {
  /** Number of servers that hold stores. */
  servers: number
  /** Tables that are still to be distributed. */
  distributed: readonly string[]
}

/** The tables that `distribute` would change. Throws if Citus, its servers or the tables are missing. */
export async function planDistribution(db: Kysely<Database>): Promise<Distribution> {
  if (!(await hasCitus(db))) {
    throw new Error(
      'the database has no extension citus: install Citus on every server, run "create extension citus" in this database on each, and add the servers by citus_add_node',
    )
  }
  const { rows } = await sql<Distribution & { migrated: boolean }>`
    select count(*)::int as servers, to_regclass('store') is not null as migrated,
      array(select name from unnest(${distributed}::text[]) with ordinality t(name, nth)
        where to_regclass(name) not in (select logicalrelid from pg_dist_partition) order by nth) as distributed
    from pg_dist_node where isactive and shouldhaveshards`.execute(db)
  const [{ migrated, ...plan } = { servers: 0, migrated: false, distributed: [] }] = rows
  if (!migrated) throw new Error('the database has no tables yet: run "catalog migrate" first')
  if (plan.servers === 0)
    throw new Error('no worker node is registered: add one by "select citus_add_node(host, port)"')
  return plan
}

/** Distributes all tables that are not distributed yet, in one transaction. Throws as `planDistribution` does. */
export async function distribute(db: Kysely<Database>): Promise<Distribution> {
  return db.transaction().execute(async (transaction) => {
    await useOneConnection(transaction)
    return distributeDue(transaction, serverStatements())
  })
}

/** Runs migrations of a distributed database, and distributes the tables that they add. */
export async function migrateDistributed(
  transaction: Transaction<Database>,
  runMigrations: () => Promise<void>,
): Promise<void> {
  await useOneConnection(transaction)
  await runMigrations()
  await distributeDue(transaction, [])
}

async function distributeDue(
  transaction: Transaction<Database>,
  preparations: readonly RawBuilder<unknown>[],
): Promise<Distribution> {
  const plan = await planDistribution(transaction)
  const due = plan.distributed.length > 0 ? [...preparations, ...tableStatements(plan)] : []
  for (const statement of [...due, ...distributeFunctions]) await statement.execute(transaction)
  return plan
}

async function useOneConnection(transaction: Transaction<Database>): Promise<void> {
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(transaction)
}

/** Runs a statement on each worker node. A statement that ran there before changes nothing. */
function runOnWorkers(statement: string): RawBuilder<unknown> {
  const block = `do $$ begin ${statement}; exception when duplicate_object or invalid_grant_operation then null; end $$`
  return sql`select run_command_on_workers(${block})`
}

/**
 * `propagate_set_commands` sends `set local role` and the stores of a token to the worker nodes. `session.ts` reads it
 * to detect a distributed database.
 */
function serverStatements(): RawBuilder<unknown>[] {
  return [
    runOnWorkers(`create role ${tenantRole} nologin`),
    runOnWorkers('create extension if not exists pg_trgm; create extension if not exists btree_gin'),
    runOnWorkers(`execute format('grant ${tenantRole} to %I', current_user)`),
    // A session that acts as a role connects to the worker nodes as this role. The role has no password.
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

/** Policies without subqueries: Citus does not support subqueries in the policies of a distributed table. */
function tableStatements({ distributed: due }: Distribution): RawBuilder<unknown>[] {
  const [first] = distributed
  const colocatedWith = (table: string) => (table === first ? 'none' : first)
  return [
    // On a worker node, Citus checks the rights of the login, which may only read the views: they cannot work.
    sql`drop schema if exists report cascade`,
    ...withPolicy
      .filter((table) => due.includes(table))
      .map(
        (table) => sql`alter policy own_stores on ${sql.table(table)}
        using (store_uuid = any (current_setting('catalogue.stores')::uuid[]))`,
      ),
    ...(due.includes('change') ? numberSequences : []),
    ...due.map(
      (table) => sql`select create_distributed_table(
        ${table}::text::regclass, 'store_uuid', colocate_with => ${colocatedWith(table)}::text)`,
    ),
    // Citus inserts rows with a sequence by COPY, which row-level security does not allow.
    ...withSequence
      .filter((table) => due.includes(table))
      .map((table) => sql`alter table ${sql.table(table)} disable row level security`),
  ]
}

/** A statement may number up to so many rows: a server counts on from a number of the coordinator. */
const numberSequences = [
  sql`alter sequence change_seq increment by 1000000`,
  sql`alter sequence product_dirty_seq increment by 1000000`,
]

/** What statements call on a server. */
const onServers = [
  ...['folded', 'writing_tx', 'next_number', 'lock_store', 'mark_products'],
  ...['record_change', 'record_items', 'write_products', 'keep_attribute_names', 'count_products'],
]

/** A migration may have replaced them. */
const distributeFunctions = [
  sql`select create_distributed_function(oid::regprocedure) from pg_proc
    where pronamespace = current_schema()::regnamespace and proname = any(${onServers}::text[])`,
  sql`select create_distributed_function('run_on_server(uuid, text, text[], text[], text, text, text)', 'store',
    colocate_with => 'attribute_definition', force_delegation => true)`,
]
