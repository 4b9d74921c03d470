import { type Kysely, sql } from 'kysely'
import type { Database } from '../tables.ts'

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
