import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { type Config, readConfig } from '../app/config.ts'
import { createLog } from '../app/log.ts'
import { type Catalogue, type Origin, wholeCatalogue } from '../catalogue/catalogue.ts'
import type { Enumerations } from '../catalogue/enumerations.ts'
import { adviseOnRights } from '../database/advice.ts'
import { addChangeDays, setRecording } from '../database/ledger.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/tables.ts'

export interface CommandContext {
  db: Kysely<Database>
  catalogue: Catalogue
  config: Config
  log: Logger
  /** Reads the enumerations of the global configuration. */
  enumerations(): Promise<Enumerations>
}

/**
 * Runs a command on the database of the gateway, whether the gateway is running or not. With `migrates`, which a
 * command needs that may run before the gateway, the tables are brought up to date first.
 */
export async function withDatabase<T>(
  run: (context: CommandContext) => Promise<T>,
  { mayCreate = false, migrates = false, logLevel = 'warn' } = {},
): Promise<T> {
  const config = readConfig({ LOG_LEVEL: logLevel, ...process.env })
  nameDatabase(config)
  const log = createLog(config.logLevel)
  const { db, close } = await openDatabase(config, log, { mayCreate })
  try {
    // Loaded only where they are used: they would delay the start of `serve`.
    if (migrates) await (await import('../database/migrate.ts')).migrate(db)
    const enumerations = async () => {
      const { startGlobalConfig } = await import('../global-config/global-config.ts')
      const globalConfig = await startGlobalConfig(config, log)
      globalConfig.stop()
      return globalConfig.enumerations()
    }
    return await run({ db, catalogue: wholeCatalogue(db), config, log, enumerations })
  } catch (error) {
    throw await adviseOnRights(db, error)
  } finally {
    await close()
  }
}

/** Prints which embedded database a command uses: a forgotten DATA_DIR or DATABASE_URL shows. */
export function nameDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl === undefined) process.stderr.write(`database: embedded PostgreSQL in ${resolve(dataDir)}\n`)
}

/**
 * Runs the writes of a command with the origin that the ledger records, if changes are recorded. Adds the partitions of
 * the ledger first: no gateway may have run for days. Unrecorded writes restart the ledger; a dry run does not.
 */
export async function recordWrites<T>(
  { db, catalogue, config }: CommandContext,
  { operation, dryRun = false }: { operation: string; dryRun?: boolean },
  write: (catalogue: Catalogue) => Promise<T>,
): Promise<T> {
  const origin = originOf(config, operation)
  await addChangeDays(db)
  if (!dryRun) await setRecording(db, origin !== undefined)
  try {
    return await write({ ...catalogue, origin })
  } finally {
    // A gateway that records may have restarted the ledger meanwhile. An error here must not hide one of the writes.
    if (!origin && !dryRun) await setRecording(db, false).catch(() => {})
  }
}

export function requireRecording({ changesRetention }: Config): void {
  if (changesRetention === 0) throw new Error('no changes are recorded: CHANGES_RETENTION is 0')
}

/** Whose changes a command makes, if changes are recorded. */
export function originOf({ changesRetention }: Config, operation: string): Origin | undefined {
  return changesRetention === 0 ? undefined : { requestId: randomUUID(), actor: userName(), via: 'cli', operation }
}

/** A container may run as a user who has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}
