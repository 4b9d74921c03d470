import type { Kysely } from 'kysely'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { startEmbedded } from './embedded.ts'
import type { Database } from './tables.ts'

export interface OpenDatabase {
  db: Kysely<Database>
  /** How further connections are made. */
  connection: ClientConfig
  /** Closes the connections and stops the embedded server, unless somebody else still uses it. */
  close(): Promise<void>
}

/**
 * Opens the database of the configuration: the server behind `databaseUrl`, else the embedded one of `dataDir`, which starts while what speaks to it
 * is loaded, and whatever else `loading` stands for. Nothing is asked of the server before: who loads cannot hear its answers in time. Throws when the
 * server does not suit.
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  loading?: Promise<unknown>,
): Promise<OpenDatabase> {
  const onError = (error: Error) => log.warn({ reason: error.message }, 'a database connection broke')
  const starting = config.databaseUrl
    ? undefined
    : startEmbedded({ dataDir: config.dataDir, log: (line) => log.info(line) })
  const [{ connect }, { checkServer }, embedded] = await Promise.all([
    import('./connect.ts'),
    import('./check-server.ts'),
    starting,
    loading,
  ])
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
