import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import { startEmbedded } from '../embedded-postgres/embedded-postgres.ts'

/**
 * Opens the database of the configuration: the server of `databaseUrl`, else the embedded one of `dataDir`, which is
 * created if it is missing and `mayCreate`. Throws when the server does not suit. `loading` are modules that are loaded
 * while the embedded server starts: nothing is sent to it before, as loading would delay reading the answers. Returns
 * also how further connections are made; `close` stops the embedded server unless another process still uses it.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  log: Logger,
  { mayCreate, loading }: { mayCreate: boolean; loading?: Promise<unknown> },
) {
  const onError = (error: Error) => log.warn({ reason: error.message }, 'a database connection broke')
  const starting = databaseUrl ? undefined : startEmbedded({ dataDir, mayCreate, log: (line) => log.info(line) })
  const [{ connect, checkServer }, embedded] = await Promise.all([import('./connect.ts'), starting, loading])
  const connection: ClientConfig = embedded?.connection ?? { connectionString: databaseUrl }
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
