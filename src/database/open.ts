import type { Logger } from 'pino'
import { startEmbedded } from '../embedded-postgres/embedded-postgres.ts'
import { urlsOf } from './connection/hosts.ts'
import type { ConnectionConfig } from './connection/session.ts'
import { findKind, requireCoordinator } from './kind.ts'

interface Settings {
  databaseUrl?: string | undefined
  databaseDirectUrl?: string | undefined
  databasePooling?: 'session' | 'transaction' | undefined
  databasePoolSize: number
  dataDir: string
}

/** Opens the server of `databaseUrl`, or starts the embedded one. Also waits for `loading`, which runs meanwhile. */
export async function openDatabase(
  settings: Settings,
  log: Logger,
  { mayCreate, loading }: { mayCreate: boolean; loading?: Promise<unknown> },
) {
  const { databaseUrl, databasePooling, databasePoolSize: max, dataDir } = settings
  let isClosing = false
  const onError = (error: Error) => {
    if (!isClosing) log.warn({ reason: error.message }, 'a database connection broke')
  }
  const starting = databaseUrl ? undefined : startEmbedded({ dataDir, mayCreate, log: (line) => log.info(line) })
  const [{ connect, checkServer }, { isPooled, sharesSessions }, embedded] = await Promise.all([
    import('./connection/connect.ts'),
    import('./connection/pooler.ts'),
    starting,
    loading,
  ])
  const connection: ConnectionConfig = { ...(embedded?.connection ?? serverOf(settings)), max }
  if (!embedded) {
    const isFound = databasePooling === undefined && (await isPooled(connection))
    if (isFound) log.info('a pooler was found: each transaction sets what it needs (DATABASE_POOLING=transaction)')
    connection.transactionPooling = isFound || databasePooling === 'transaction'
    if (databasePooling === 'session' && (await sharesSessions(connection))) {
      throw new Error(
        'DATABASE_POOLING is session, but the pooler gives each transaction any session: set DATABASE_POOLING=transaction, or use the session mode of the pooler',
      )
    }
  }
  let db = connect(connection, onError)
  const close = async () => {
    isClosing = true
    await db.destroy()
    await embedded?.stop()
  }
  try {
    await checkServer(db)
    await requireCoordinator(db)
    connection.isDistributed = (await findKind(db)) === 'citus'
    if (connection.isDistributed) {
      await db.destroy()
      db = connect(connection, onError)
    }
    return { db, connection, close }
  } catch (error) {
    await close()
    throw error
  }
}

function serverOf({ databaseUrl = '', databaseDirectUrl: directUrl }: Settings): ConnectionConfig {
  const urls = urlsOf(databaseUrl)
  return { connectionString: urls[0], urls, directUrl }
}
