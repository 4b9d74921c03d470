import { type Kysely, sql } from 'kysely'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connect } from './connect.ts'
import { startEmbedded } from './embedded.ts'
import type { Database } from './tables.ts'

export interface OpenDatabase {
  db: Kysely<Database>
  /** How further connections are made. */
  connection: ClientConfig
  /** Closes the connections and stops the embedded server, unless somebody else still uses it. */
  close(): Promise<void>
}

/** Opens the database of the configuration: the server behind `databaseUrl`, else the embedded one of `dataDir`. Throws when it does not suit. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
): Promise<OpenDatabase> {
  const onError = (error: Error) => log.warn({ reason: error.message }, 'a database connection broke')
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded({ dataDir: config.dataDir, log: (line) => log.info(line) })
  const connection = embedded?.connection ?? { connectionString: config.databaseUrl }
  const db = connect(connection, onError)
  const close = async () => {
    await db.destroy()
    await embedded?.stop()
  }
  try {
    await checkServer(db)
  } catch (error) {
    await close()
    throw error
  }
  return { db, connection, close }
}

/** The service stores any Unicode text and uses PostgreSQL 14's features. */
async function checkServer(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`.execute(
    db,
  )
  const [server] = rows
  if (!server || server.version < 140_000) throw new Error('PostgreSQL 14 or newer is needed: set DATABASE_URL to one')
  if (server.encoding !== 'UTF8') throw new Error(`the database must have the encoding UTF8; it has ${server.encoding}`)
}
