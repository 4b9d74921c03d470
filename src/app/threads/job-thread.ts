import { workerData } from 'node:worker_threads'
import { wholeCatalogue } from '../../catalogue/catalogue.ts'
import { maxConnections } from '../../database/connection/max-connections.ts'
import { runTask, type Task } from '../../event-loop/run-task.ts'
import type { JobQuotas } from '../../jobs/quotas.ts'
import { runAttempt } from '../../jobs/run-attempt.ts'
import type { JobTask } from '../../jobs/runner.ts'
import { lazy } from '../../lazy.ts'
import { requestContext } from '../../request/context.ts'
import { startThread, type ThreadConfig } from './start-thread.ts'

export interface JobThreadData extends ThreadConfig {
  quotas: JobQuotas
}

/** Makes an attempt at a job in this thread. */
export function run(task: Task<JobTask>): Promise<unknown> {
  return runTask(task, async ({ key, enumerations }, { signal, reportProgress }) => {
    // Outside the request: reads are not limited, and an interruption cancels no statement.
    await requestContext.exit(() => runAttempt(key, { ...made(), enumerations, signal, reportProgress }))
    return { output: undefined }
  })
}

const made = lazy(() => {
  const { quotas, ...config } = workerData as JobThreadData
  // Connections for the progress, input and output of a job; its rows use another one.
  const { db, log } = startThread(config, { priority: 10, max: maxConnections.jobThread })
  return { catalogue: wholeCatalogue(db), quotas, log }
})
