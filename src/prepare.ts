import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { createFirstToken } from './auth/tokens.ts'
import { wholeCatalogue } from './catalog/viewer.ts'
import type { Config } from './config.ts'
import { migrate } from './database/migrate.ts'
import type { Database } from './database/tables.ts'
import { type GlobalConfig, startGlobalConfig } from './global-config/global-config.ts'

/** Brings the database up to date and sees to it that there is a token. Returns that which it made, if any: it is known this once. */
export async function prepare(db: Kysely<Database>, config: Config, log: Logger): Promise<string | undefined> {
  const migrations = await migrate(db)
  if (migrations.length > 0) log.info({ migrations }, 'database migrated')
  return config.bootstrapToken === undefined ? createFirstToken(db) : undefined
}

/** The global configuration, as the environment says where it is. */
export function globalConfigOf(config: Config, log: Logger): Promise<GlobalConfig> {
  return startGlobalConfig({ url: config.globalConfigUrl, refreshMs: config.globalConfigRefreshMs, log })
}

/** Fills an empty database with a small generated catalogue. */
export async function fillOnDemand(db: Kysely<Database>, config: GlobalConfig, log: Logger): Promise<void> {
  const { fillDemo } = await import('./demo/demo.ts')
  await fillDemo(wholeCatalogue(db), config.enumerations(), log)
}

/** Says where requests are answered from now on, on stdout, and the first token, on stderr. */
export function announce(url: string, firstToken: string | undefined): void {
  if (firstToken !== undefined) {
    process.stderr.write(
      `\nAdmin token, shown this once:\n\n  ${firstToken}\n\nSend it as "Authorization: Bearer ${firstToken}".\n\n`,
    )
  }
  process.stdout.write(`catalogue gateway at ${url} (GraphiQL: ${url}/graphql, REST: ${url}/v1)\n`)
}
