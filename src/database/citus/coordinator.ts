import { type Kysely, sql } from 'kysely'
import type { Database } from '../tables.ts'

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
