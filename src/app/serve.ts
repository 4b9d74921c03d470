import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/tables.ts'
import type { Config } from './config.ts'

export interface ServeOptions {
  demo: boolean
  env: Record<string, string | undefined>
  /** Receives the first admin token as soon as it is stored: it cannot be read again. */
  onFirstToken(secret: string): void
  /** Reports that nobody has an admin token, although there are tokens. */
  onNoAdminToken(): void
}

/** Starts the service in the order of this function. Leaves nothing running when it throws. */
export async function serve(config: Config, options: ServeOptions, log: Logger) {
  // The embedded PostgreSQL starts while the code that uses it is loaded.
  const loading = load(config)
  const { db, connection, close } = await openDatabase(config, log, { mayCreate: true, loading })
  const { migrate, ensureAdminToken, start } = await loading
  try {
    const migrations = await migrate(db)
    if (migrations.length > 0) log.info({ migrations }, 'database migrated')
    if (config.bootstrapToken === undefined) {
      const { secret, exists } = await ensureAdminToken(db)
      if (secret !== undefined) options.onFirstToken(secret)
      else if (!exists) options.onNoAdminToken()
    }
    if (options.demo) await loadDemoCatalogue(db, config, log)
    const { url, stop } = await start(config, { db, connection, env: options.env }, log)
    return { url, stop: () => stop().finally(close) }
  } catch (error) {
    await close()
    throw error
  }
}

/** With several workers this process only supervises them: it does not load the gateway. */
async function load({ workers }: Config) {
  const [{ migrate }, { ensureAdminToken }, start] = await Promise.all([
    import('../database/migrate.ts'),
    import('../auth/tokens.ts'),
    workers > 1
      ? import('./cluster/supervisor.ts').then(({ superviseWorkers }) => superviseWorkers)
      : import('./run-gateway.ts').then(({ runGateway }) => runGateway),
  ])
  return { migrate, ensureAdminToken, start }
}

async function loadDemoCatalogue(db: Kysely<Database>, config: Config, log: Logger): Promise<void> {
  const [{ startGlobalConfig }, { wholeCatalogue }, { loadDemo }] = await Promise.all([
    import('../global-config/global-config.ts'),
    import('../catalogue/catalogue.ts'),
    import('../demo/demo.ts'),
  ])
  const { globalConfigUrl: url, globalConfigRefreshMs: refreshMs } = config
  const globalConfig = await startGlobalConfig({ url, refreshMs, log })
  await loadDemo(wholeCatalogue(db), globalConfig.enumerations(), log).finally(globalConfig.stop)
}
