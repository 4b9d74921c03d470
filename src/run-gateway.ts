import type { Kysely } from 'kysely'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Database } from './database/tables.ts'
import { startGateway } from './gateway.ts'
import type { GlobalConfig } from './global-config/global-config.ts'
import type { Fellows } from './metrics/fellows.ts'
import { readPersistedDocuments } from './persisted-documents-file.ts'
import type { Tracing } from './tracing/trace.ts'

/** Together less than the five seconds that whoever sent SIGTERM is asked to wait. */
const stopping = { noticeMs: 500, farewellMs: 2_000, patienceMs: 1_500 }

/** What a gateway of the configuration runs on. */
export interface Ground {
  db: Kysely<Database>
  /** How further connections to the database are made. */
  connection: ClientConfig
  globalConfig: GlobalConfig
  tracing: Tracing | undefined
  /** The other processes of the gateway, if there are any. */
  fellows?: Fellows | undefined
}

export interface RunningGateway {
  url: string
  /** Lets requests end and closes what belongs to the gateway, but not its database. `portClosed` as in `StopOptions`. */
  stop(portClosed?: () => Promise<void>): Promise<void>
}

/** Runs the gateway of the configuration in this process. Resolves once it answers. */
export async function runGateway(config: Config, ground: Ground, log: Logger): Promise<RunningGateway> {
  const { globalConfig, tracing } = ground
  const remoteFilter = await remoteFilterOf(config, log)
  const persistedDocuments = await readPersistedDocuments(config)
  const gateway = await startGateway({ ...ground, remoteFilter, persistedDocuments, ...config, log })
  return {
    url: gateway.url,
    stop: async (portClosed) => {
      globalConfig.stop()
      await gateway.close({ ...stopping, portClosed })
      await remoteFilter?.close()
      await tracing?.close()
    },
  }
}

/** Its client and its circuit breaker are loaded only where there is a remote filter. */
async function remoteFilterOf({ filterUrl: url, filterTimeoutMs: timeoutMs }: Config, log: Logger) {
  if (url === undefined) return undefined
  const { createRemoteFilter } = await import('./filter/remote-filter.ts')
  return createRemoteFilter({ url, timeoutMs, log })
}
