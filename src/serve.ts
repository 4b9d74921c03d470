import type { Logger } from 'pino'
import { createFirstToken } from './auth/tokens.ts'
import { wholeCatalogue } from './catalog/viewer.ts'
import type { Config } from './config.ts'
import { migrate } from './database/migrate.ts'
import { openDatabase } from './database/open.ts'
import { fillDemo } from './demo/demo.ts'
import { createRemoteFilter } from './filter/remote-filter.ts'
import { startGateway } from './gateway.ts'
import { startGlobalConfig } from './global-config/global-config.ts'
import { readPersistedDocuments } from './persisted-documents-file.ts'
import type { Tracing } from './tracing/trace.ts'

/** Together less than the five seconds that whoever sent SIGTERM is asked to wait. */
const stopping = { noticeMs: 500, farewellMs: 2_000, patienceMs: 1_500 }

export interface ServeOptions {
  /** Fill an empty database with a small generated catalogue. */
  demo: boolean
  /** What makes the spans of requests, if they are traced. */
  tracing?: Tracing | undefined
}

/** Runs the gateway on the configuration's database. Resolves, once it answers, with the way to stop it. */
export async function serve(
  config: Config,
  { demo, tracing }: ServeOptions,
  log: Logger,
): Promise<() => Promise<void>> {
  const { db, connection, close } = await openDatabase(config, log)
  try {
    const migrations = await migrate(db)
    if (migrations.length > 0) log.info({ migrations }, 'database migrated')
    const token = config.bootstrapToken ?? (await createFirstToken(db))
    const globalConfig = await startGlobalConfig({
      url: config.globalConfigUrl,
      refreshMs: config.globalConfigRefreshMs,
      log,
    })
    if (demo) await fillDemo(wholeCatalogue(db), globalConfig.enumerations(), log)
    const remoteFilter = config.filterUrl
      ? createRemoteFilter({ url: config.filterUrl, timeoutMs: config.filterTimeoutMs, log })
      : undefined
    const persistedDocuments = await readPersistedDocuments(config)
    const parts = { db, connection, globalConfig, remoteFilter, tracing, persistedDocuments }
    const gateway = await startGateway({ ...parts, ...config, log })
    if (token !== undefined && config.bootstrapToken === undefined) announceToken(token)
    process.stdout.write(
      `catalogue gateway at ${gateway.url} (GraphiQL: ${gateway.url}/graphql, REST: ${gateway.url}/v1)\n`,
    )
    return async () => {
      globalConfig.stop()
      await gateway.close(stopping)
      await remoteFilter?.close()
      await tracing?.close()
      await close()
    }
  } catch (error) {
    await close()
    throw error
  }
}

function announceToken(token: string): void {
  process.stderr.write(
    `\nAdmin token, shown this once:\n\n  ${token}\n\nSend it as "Authorization: Bearer ${token}".\n\n`,
  )
}
