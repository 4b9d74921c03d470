import type { Logger } from 'pino'
import { type View, wholeCatalogue } from '../catalog/viewer.ts'
import { type Config, readConfig } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import { createLog } from '../log.ts'

export interface Work {
  db: View
  config: Config
  log: Logger
}

/** Does a command's work on the gateway's database, whether the gateway is running or not. */
export async function withDatabase<T>(
  env: Record<string, string | undefined>,
  work: (work: Work) => Promise<T>,
): Promise<T> {
  const config = readConfig({ LOG_LEVEL: 'warn', ...env })
  const log = createLog(config.logLevel)
  const { db, close } = await openDatabase(config, log)
  try {
    return await work({ db: wholeCatalogue(db), config, log })
  } finally {
    await close()
  }
}
