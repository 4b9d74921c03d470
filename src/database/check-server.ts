import { type Kysely, sql } from 'kysely'
import type { Database } from './tables.ts'

/** Throws if the server does not suit: the service stores any Unicode text and uses features of PostgreSQL 14. */
export async function checkServer(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`.execute(
    db,
  )
  const [server] = rows
  if (!server || server.version < 140_000) throw new Error('PostgreSQL 14 or newer is needed: set DATABASE_URL to one')
  if (server.encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8; it has ${server.encoding}`)
}
