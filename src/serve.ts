import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { OpenDatabase } from './database/open.ts'
import { announce, fillOnDemand, globalConfigOf, prepare } from './prepare.ts'
import { runGateway } from './run-gateway.ts'
import type { Tracing } from './tracing/trace.ts'

export interface ServeOptions {
  /** Fill an empty database with a small generated catalogue. */
  demo: boolean
  /** The configuration's database, which is closed when the gateway stops or cannot start. */
  database: OpenDatabase
  /** What makes the spans of requests, if they are traced. */
  tracing?: Tracing | undefined
}

/** Runs the gateway in this process, as it is configured. Resolves, once it answers, with the way to stop it. */
export async function serve(
  config: Config,
  { demo, database: { db, connection, close }, tracing }: ServeOptions,
  log: Logger,
): Promise<() => Promise<void>> {
  try {
    const firstToken = await prepare(db, config, log)
    const globalConfig = await globalConfigOf(config, log)
    if (demo) await fillOnDemand(db, globalConfig, log)
    const gateway = await runGateway(config, { db, connection, globalConfig, tracing }, log)
    announce(gateway.url, firstToken)
    return async () => {
      await gateway.stop()
      await close()
    }
  } catch (error) {
    await close()
    throw error
  }
}
