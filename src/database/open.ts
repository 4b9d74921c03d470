import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import { startEmbedded } from '../embedded-postgres/embedded-postgres.ts'

/** Opens the server of `databaseUrl`, else the embedded one. `loading`: modules that are loaded while it starts. */
export async function openDatabase(
  { databaseUrl, dataDir }: { databaseUrl?: string | undefined; dataDir: string },
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
