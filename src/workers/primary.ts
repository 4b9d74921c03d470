import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { OpenDatabase } from '../database/open.ts'
import { announce, fillOnDemand, globalConfigOf, prepare } from '../prepare.ts'
import { startCrew } from './crew.ts'

/** PostgreSQL takes 100 connections unless it is told otherwise, and others want some too. */
const mostConnections = { each: 10, together: 60 }

/**
 * Runs the gateway as several processes: this one does what is to be done once, and has the embedded PostgreSQL; workers answer requests, all at the same
 * port. Resolves, once all of them do, with the way to stop.
 */
export async function serveByWorkers(
  config: Config,
  { demo, database: { db, connection, close } }: { demo: boolean; database: OpenDatabase },
  log: Logger,
): Promise<() => Promise<void>> {
  try {
    const firstToken = await prepare(db, config, log)
    if (demo) {
      const globalConfig = await globalConfigOf(config, log)
      await fillOnDemand(db, globalConfig, log).finally(globalConfig.stop)
    }
    // Where workers count requests together, unless they do so in PostgreSQL.
    if (config.rateLimit !== undefined) {
      const { RateLimiterClusterMaster } = await import('rate-limiter-flexible')
      new RateLimiterClusterMaster()
    }
    const crew = await startCrew(config.workers, { ...connection, max: connectionsEach(config.workers) }, log)
    announce(crew.url, firstToken)
    return () => crew.stop().finally(close)
  } catch (error) {
    await close()
    throw error
  }
}

/** How many connections to the database each of so many workers may open for requests. */
export function connectionsEach(workers: number): number {
  return Math.min(mostConnections.each, Math.floor(mostConnections.together / workers))
}
