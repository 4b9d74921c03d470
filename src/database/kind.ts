import { type Kysely, sql } from 'kysely'
import type { Database } from './tables.ts'

/** How the tables are stored: plain, in hash partitions, or distributed by Citus. */
export type DatabaseKind = 'plain' | 'partitions' | 'citus'

export async function findKind(db: Kysely<Database>): Promise<DatabaseKind> {
  // `catalog distribute` has set the parameter; the tables of Citus itself are only there with its extension.
  const { rows } = await sql<{ kind: DatabaseKind }>`
    select case when current_setting('citus.propagate_set_commands', true) = 'local' then 'citus'
      when exists (select from pg_class where oid = to_regclass('product') and relkind = 'p') then 'partitions'
      else 'plain' end as kind`.execute(db)
  return rows[0]?.kind ?? 'plain'
}

export async function hasCitus(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

/** Throws on a worker of Citus: only the coordinator has all tables, and orders the changes of all stores. */
export async function requireCoordinator(db: Kysely<Database>): Promise<void> {
  if (!(await hasCitus(db))) return
  const { rows } = await sql<{ groupid: number }>`select groupid from pg_dist_local_group`.execute(db)
  if (rows[0]?.groupid === 0) return
  throw new Error('the server is a worker of Citus: set DATABASE_URL to the coordinator')
}
