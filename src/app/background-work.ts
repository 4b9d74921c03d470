import { watchWriters } from '../auth/watch-writers.ts'
import { startMeasures } from '../catalogue/dashboards/measures.ts'
import { startFollower } from '../catalogue/projections/follower.ts'
import { connect } from '../database/connection/connect.ts'
import { maxConnections } from '../database/connection/max-connections.ts'
import { createThreadPool } from '../event-loop/thread-pool.ts'
import { concurrency, startJobRunner } from '../jobs/runner.ts'
import { startDeliverer } from '../webhooks/deliver/deliverer.ts'
import type { ApiOptions, GatewayOptions } from './gateway-options.ts'
import { startMaintenance } from './maintenance.ts'
import type { JobThreadData } from './threads/job-thread.ts'
import { threadProgram } from './threads/start-thread.ts'

/**
 * Runs jobs, maintains the tables, keeps the projections, stores measures and delivers changes to webhooks. Takes no
 * connections from requests. `stop` is to be called after the last write.
 */
export function startBackgroundWork(options: GatewayOptions, runPatterns: ApiOptions['runPatterns']) {
  const { db, connection, globalConfig, changesRetention, jobsRetention, log } = options
  const connectFor = (name: 'follower' | 'deliverer') => {
    const max = maxConnections[name]
    return connect({ ...connection, application_name: `catalogue-gateway-${name}`, max, maxPerTenant: max }, () => {})
  }
  const isRecording = changesRetention > 0
  const threads = createJobThreads(options)
  const jobs = startJobRunner({ db, connection, enumerations: globalConfig.enumerations, threads, log })
  const stopMaintenance = startMaintenance(db, { jobsRetention, changesRetention }, log)
  const followerDb = connectFor('follower')
  const follower = startFollower(followerDb, runPatterns, isRecording, log)
  const stopMeasures = startMeasures(followerDb, log)
  const stopWatch = isRecording ? watchWriters(db, log) : undefined
  const outgoing = { allow: options.outgoingAllow }
  const times = options.deliveryTimes
  const delivererDb = isRecording ? connectFor('deliverer') : undefined
  const deliverer = delivererDb && startDeliverer({ db: delivererDb, outgoing, times, log })
  /** Ends the parts, by their names. */
  const stop = () => {
    stopWatch?.()
    const projections = Promise.all([follower.stop(), stopMeasures()]).then(() => followerDb.destroy())
    const webhooks = Promise.resolve(deliverer?.stop()).then(() => delivererDb?.destroy())
    const maintenance = Promise.all([projections, webhooks]).then(stopMaintenance)
    return { projections, webhooks, maintenance }
  }
  return {
    wakeJobs: jobs.wake,
    wakeFollower: follower.wake,
    failures: follower.failures,
    deliveryResults: () => deliverer?.results(),
    stopJobs: jobs.stop,
    stop,
  }
}

function createJobThreads({ connection, jobQuotas, jobLimits, log }: GatewayOptions) {
  const workerData: JobThreadData = { connection, quotas: jobQuotas, logLevel: log.level }
  const threads = { threads: concurrency, threadsPerTenant: concurrency }
  return createThreadPool({ entry: threadProgram('job'), workerData, log, ...threads, ...jobLimits })
}
