import { type Kysely, sql } from 'kysely'
import { messageOf } from '../errors.ts'
import type { Database } from './tables.ts'
import { codeOf } from './unavailable.ts'

/**
 * The error, with the statements by which an administrator gives the user the rights that migrations need, if some are
 * missing.
 */
export async function adviseOnRights(db: Kysely<Database>, error: unknown): Promise<unknown> {
  if (codeOf(error) !== '42501') return error
  const statements = await lackingRights(db).catch(() => [])
  if (statements.length === 0) return error
  const advice = `let an administrator of this database run "${statements.join('; ')}"`
  return new Error(`${messageOf(error)}: ${advice}`, { cause: error })
}

/** Schemas that exist, and those of the user's own, need no right on the database. */
async function lackingRights(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    select statement from (
      select 1 as place, format('create schema %I authorization %I', name, current_user) as statement
      from unnest(array['report', 'job_queue', case when current_schema() is null then current_user end]) name
      where name is not null and to_regnamespace(quote_ident(name)) is null
        and not has_database_privilege(current_database(), 'create')
      union all
      select 2, format('grant create, usage on schema %I to %I', nspname, current_user) from pg_namespace
      where nspname in ('report', 'job_queue', current_schema())
        and not (has_schema_privilege(oid, 'create') and has_schema_privilege(oid, 'usage'))
      union all
      select 3, format('grant %I to %I', pg_get_userbyid(relowner), current_user) from pg_class
      where oid = to_regclass('migration') and not pg_has_role(relowner, 'usage')
    ) lacking order by place, statement`.execute(db)
  return rows.map(({ statement }) => statement)
}

/**
 * The statements that close the schemas in which the gateway's sessions look for functions, and others may create some:
 * one with the exact types of its arguments is called instead of PostgreSQL's own, whatever the order of the schemas.
 */
export async function closingStatements(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    select format('revoke create on schema %I from %s', n.nspname, r.name) as statement
    from pg_namespace n cross join (
      select 0::oid as oid, 'public' as name
      union all select oid, quote_ident(rolname) from pg_roles
      where rolname in (select name from report_user) and rolname <> current_user
    ) r
    where n.nspname = any(current_schemas(false)) and has_schema_privilege(r.oid, n.oid, 'create')
      and (r.oid = 0 or not has_schema_privilege(0, n.oid, 'create'))
    order by r.oid, 1`.execute(db)
  return rows.map(({ statement }) => statement)
}

/** The advice if there are such schemas; otherwise undefined. */
export async function openSchemaAdvice(db: Kysely<Database>): Promise<string | undefined> {
  const statements = await closingStatements(db)
  if (statements.length === 0) return undefined
  return `other users of the database can run code as the gateway: let its administrator run "${statements.join('; ')}"`
}

/** The advice if the index of parts of product codes is missing (0001-catalogue.sql); otherwise undefined. */
export async function codeIndexAdvice(db: Kysely<Database>): Promise<string | undefined> {
  const { rows } = await sql`select where to_regclass('product_by_code_part') is null`.execute(db)
  if (rows.length === 0) return undefined
  return 'search in product codes is slow: create the extensions pg_trgm and btree_gin, then run "select index_product_codes()"'
}
