import { type Kysely, sql } from 'kysely'
import type { Database } from '../../database/tables.ts'

/** The oldest writing transaction of the server: the feed has the changes from before it. */
export interface OpenWriter {
  /** How long it has been open, which is the delay of the feed; 0 if there is none. */
  seconds: number
  /** `pid` is that of its session; null: it is prepared. */
  session?: { pid: number | null; user: string; database: string }
}

/** Transactions of other users count only if this user may see them. */
export async function oldestWriter(db: Kysely<Database>): Promise<OpenWriter> {
  const { rows } = await sql<Required<OpenWriter>>`
    select extract(epoch from clock_timestamp() - since)::float8 as seconds,
      json_build_object('pid', pid, 'user', name, 'database', database) as session
    from (
      select xact_start as since, pid, usename as name, datname as database
      from pg_stat_activity where backend_xid is not null
      union all select prepared, null, owner, database from pg_prepared_xacts
    ) open
    where since is not null order by since limit 1`.execute(db)
  return rows[0] ?? { seconds: 0 }
}
