import { setPriority } from 'node:os'
import { connect } from '../../database/connection/connect.ts'
import type { ConnectionConfig } from '../../database/connection/session.ts'
import { createLog } from '../log.ts'

export interface ThreadConfig {
  connection: ConnectionConfig
  logLevel: string
}

/** The program of a thread. Its file has the extension of this one: the published package has JavaScript. */
export function threadProgram(name: 'pool' | 'pattern' | 'job'): URL {
  return new URL(`./${name}-thread${import.meta.url.slice(-3)}`, import.meta.url)
}

/** Opens the log and the database connections of this thread. The main thread has priority 0; a higher one yields. */
export function startThread(
  { connection, logLevel }: ThreadConfig,
  { priority, ...database }: Partial<ConnectionConfig> & { priority: number },
) {
  // Only on Linux a thread has its own priority.
  if (process.platform === 'linux') setPriority(priority)
  const log = createLog(logLevel)
  const onError = (error: Error) => log.warn({ reason: error.message }, 'a database connection broke')
  return { db: connect({ ...connection, connectionTimeoutMillis: 10_000, ...database }, onError), log }
}
