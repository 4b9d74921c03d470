import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { type OpenWriter, oldestWriter } from '../catalogue/changes/oldest-writer.ts'
import type { Database } from '../database/tables.ts'

const everyMs = 5_000
/** How long a transaction of a report user may have a number: one that only reads gets none. */
const maxWritingMs = 5_000
const maxSilentSeconds = 60

/**
 * Ends transactions of report users that hold back the feed of changes, and logs others that hold it back for long.
 * Returns the function that ends this.
 */
export function watchWriters(db: Kysely<Database>, log: Logger): () => void {
  let reported: OpenWriter['session'] | undefined
  const watch = async () => {
    for (const session of await endReportSessions(db)) {
      log.warn(session, 'ended the session of a report user: its transaction held back the feed of changes')
    }
    const { seconds, session } = await oldestWriter(db)
    if (seconds < maxSilentSeconds || JSON.stringify(session) === JSON.stringify(reported)) return
    reported = session
    log.warn({ seconds, ...session }, 'an open transaction holds back the feed of changes')
  }
  // While the database is away, other work reports that.
  const timer = setInterval(() => void watch().catch(() => {}), everyMs).unref()
  return () => clearInterval(timer)
}

/** In any database: the feed waits for all transactions of the server. */
export async function endReportSessions(db: Kysely<Database>, writingMs = maxWritingMs) {
  const { rows } = await sql<{ pid: number; user: string; database: string | null }>`
    with writer as materialized ( -- the planner could move the function below the other conditions
      select pid, usename::text as user, datname::text as database
      from pg_stat_activity
      where usename in (select name from report_user) and backend_xid is not null
        and xact_start < clock_timestamp() - ${writingMs}::integer * interval '1 millisecond'
        and pg_has_role(usesysid, 'usage')
    )
    select * from writer where pg_terminate_backend(pid)`.execute(db)
  return rows
}
