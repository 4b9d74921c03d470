import { maxConnections } from '../../database/connection/max-connections.ts'
import { defaultThreads } from '../../event-loop/thread-pool.ts'
import { concurrency } from '../../jobs/runner.ts'
import type { Config } from '../config.ts'
import { connectionsPerWorker } from './supervisor.ts'

/** How many connections to the primary a gateway has at most, with all its workers. */
export function connectionsOf({ workers, databasePoolSize, databaseReadUrl }: Config): number {
  const { poolThread, jobThread, queue, follower, deliverer, watch, maintenance } = maxConnections
  const requests = connectionsPerWorker(workers, databasePoolSize) + defaultThreads * poolThread
  const jobs = concurrency * (jobThread + 1) + queue
  return workers * (requests + jobs + follower + deliverer + maintenance + (databaseReadUrl.length > 0 ? watch : 0))
}
