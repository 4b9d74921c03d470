import { type Kysely, sql, type Transaction } from 'kysely'
import { openSchemaAdvice } from '../database/advice.ts'
import type { Database } from '../database/tables.ts'
import { codeOf } from '../database/unavailable.ts'
import { invalidRequest } from '../errors.ts'
import { shown } from '../text.ts'
import { newPassword, verifierOf } from './secret.ts'
import { requireStores } from './tokens.ts'

/** A login for SQL tools, which sees its stores in the views of the schema `report` and nothing else. */
export interface ReportUser {
  name: string
  stores: string[]
  /** Whether the server still has the login. */
  exists: boolean
}

/** The comment on logins that `create_report_login` has made: only those are dropped. */
const madeHere = 'report user of the catalogue gateway'

/**
 * Lets a login see more stores. Returns its password if it is made now. Throws `invalid_request`, `store_not_found`, or
 * an Error that says what to do.
 */
export async function addReportUser(
  db: Kysely<Database>,
  name: string,
  storeUuids: readonly string[],
): Promise<string | undefined> {
  if (!/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(name)) {
    const form = 'up to 63 lower-case letters, digits and underscores that begin with no digit and not with pg_'
    throw invalidRequest(`the name must be ${form}; got ${shown(name)}`)
  }
  if (storeUuids.length === 0) throw invalidRequest('name at least one store')
  return db.transaction().execute(async (transaction) => {
    await requireViews(transaction)
    const advice = await openSchemaAdvice(transaction)
    if (advice) throw new Error(advice)
    const stores = await requireStores(transaction, storeUuids)
    const login = await findLogin(transaction, name)
    if (login?.isPrivileged) {
      throw new Error(`the login ${name} has more rights than a report user: choose another name`)
    }
    const password = login ? undefined : await createLogin(transaction, name)
    const role = sql.id(name)
    if (!login?.isKnown) await limitLogin(transaction, name)
    await sql`grant usage on schema report to ${role}`.execute(transaction)
    await sql`grant select on all tables in schema report to ${role}`.execute(transaction)
    await sql`
      insert into report_user (name, store_uuid) select ${name}::name, unnest(${stores}::uuid[])
      on conflict do nothing`.execute(transaction)
    return password
  })
}

export async function listReportUsers(db: Kysely<Database>): Promise<ReportUser[]> {
  const { rows } = await sql<ReportUser>`
    select u.name::text as name, array_agg(u.store_uuid::text order by u.store_uuid) as stores,
      exists (select from pg_roles where rolname = u.name) as exists
    from report_user u group by u.name order by u.name`.execute(db)
  return rows
}

/** Takes all stores from a login and drops it if it was made here. Returns undefined if it is no report user. */
export async function removeReportUser(db: Kysely<Database>, name: string) {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql`delete from report_user where name = ${name}::name returning 1`.execute(transaction)
    const login = await findLogin(transaction, name)
    if (rows.length === 0) return undefined
    if (!login) return { dropped: true }
    const role = sql.id(name)
    await sql`revoke all on all tables in schema report from ${role}`.execute(transaction)
    await sql`revoke all on schema report from ${role}`.execute(transaction)
    if (!login.isMadeHere) return { dropped: false }
    // An open session may have temporary tables.
    await attempt(transaction, sql`drop owned by ${role}`)
    return { dropped: await attempt(transaction, sql`drop role ${role}`) }
  })
}

async function requireViews(db: Transaction<Database>): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('report.products') is not null as exists`.execute(
    db,
  )
  if (rows[0]?.exists) return
  throw new Error('this database has no views for SQL tools: Citus does not support them')
}

async function findLogin(db: Transaction<Database>, name: string) {
  const { rows } = await sql<{ isPrivileged: boolean; isMadeHere: boolean; isKnown: boolean }>`
    select exists (select from report_user u where u.name = rolname) as "isKnown",
      rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
        or exists (select from pg_auth_members where member = r.oid)
        or has_table_privilege(r.oid, 'product', 'select')
        or has_database_privilege(r.oid, current_database(), 'create')
        or exists (
          select from pg_namespace n where nspname = any(current_schemas(false)) and (
            has_schema_privilege(r.oid, n.oid, 'create')
            or exists (select from pg_proc where pronamespace = n.oid and proowner = r.oid)
            or exists (select from pg_operator where oprnamespace = n.oid and oprowner = r.oid))
        ) as "isPrivileged",
      coalesce(shobj_description(r.oid, 'pg_authid') = ${madeHere}, false) as "isMadeHere"
    from pg_roles r where rolname = ${name}`.execute(db)
  return rows[0]
}

/** Returns the password, of which the server gets a hash. */
async function createLogin(db: Transaction<Database>, name: string): Promise<string> {
  const password = newPassword()
  if (await attempt(db, sql`select create_report_login(${name}::name, ${verifierOf(password)})`)) return password
  const user = await currentUser(db)
  const statement = `create role ${name} login noinherit connection limit 5 password '…' role ${user}`
  throw new Error(
    `the user of DATABASE_URL may not create roles: let one who may run "${statement}", then repeat this command`,
  )
}

async function currentUser(db: Transaction<Database>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select quote_ident(current_user) as name`.execute(db)
  return rows[0]?.name
}

/** What a login begins with; it can change this for itself, but not its number of connections. */
const settings = [
  sql`search_path = report`,
  sql`default_transaction_read_only = on`,
  sql`statement_timeout = '60s'`,
  sql`lock_timeout = '5s'`,
  sql`idle_in_transaction_session_timeout = '60s'`,
  sql`jit = off`,
  sql`max_parallel_workers_per_gather = 0`,
]

/** Sets limits, by the right of a login to change its own. Throws if the user may not act as the login. */
async function limitLogin(db: Transaction<Database>, name: string): Promise<void> {
  const role = sql.id(name)
  if (!(await attempt(db, sql`set local role ${role}`))) {
    const statement = `grant ${name} to ${await currentUser(db)}`
    throw new Error(
      `the user of DATABASE_URL must be a member of ${name}: let one who may run "${statement}", then repeat this command`,
    )
  }
  for (const setting of settings) await sql`alter role ${role} set ${setting}`.execute(db)
  await sql`set local role none`.execute(db)
  // What only superusers may do.
  await attempt(db, sql`alter role ${role} set temp_file_limit = '1GB'`)
  await sql`do $$ begin
    if (select rolsuper from pg_roles where rolname = current_user) then
      revoke execute on function lo_creat, lo_create, lo_from_bytea from public;
    end if;
  end $$`.execute(db)
}

/** Runs a statement. Returns false if the user may not run it; the transaction can continue. */
async function attempt(db: Transaction<Database>, statement: ReturnType<typeof sql>): Promise<boolean> {
  await sql`savepoint attempt`.execute(db)
  try {
    await statement.execute(db)
    return true
  } catch (error) {
    // insufficient_privilege, dependent_objects_still_exist
    if (!['42501', '2BP01'].includes(codeOf(error))) throw error
    await sql`rollback to savepoint attempt`.execute(db)
    return false
  }
}
