import type { Kysely } from 'kysely'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import { startEmbedded } from '../embedded-postgres/embedded-postgres.ts'
import type { Database } from './tables.ts'

export interface OpenDatabase {
  db: Kysely<Database>
  /** How further connections are made. */
  connection: ClientConfig
  /** Closes the connections and stops the embedded server, unless another process still uses it. */
  close(): Promise<void>
}

export interface OpenOptions {
  /** Whether a missing embedded database is created. */
  mayCreate: boolean
  /**
   * Modules that are loaded while the embedded server starts: nothing is sent to it before, as loading would delay
   * reading the answers.
   */
  loading?: Promise<unknown>
}

/**
 * Opens the database of the configuration: the server of `databaseUrl`, else the embedded one of `dataDir`. Throws when
 * the server does not suit, or when there is no embedded database and it must not be created.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  log: Logger,
  { mayCreate, loading }: OpenOptions,
): Promise<OpenDatabase> {
  const onError = (error: Error) => log.warn({ reason: error.message }, 'a database connection broke')
  const starting = databaseUrl ? undefined : startEmbedded({ dataDir, mayCreate, log: (line) => log.info(line) })
  const [{ connect, checkServer }, embedded] = await Promise.all([import('./connect.ts'), starting, loading])
  const connection = embedded?.connection ?? { connectionString: databaseUrl }
  const db = connect(connection, onError)
  const close = async () => {
    await db.destroy()
    await embedded?.stop()
  }
  try {
    await checkServer(db)
    return { db, connection, close }
  } catch (error) {
    await close()
    throw error
  }
}
