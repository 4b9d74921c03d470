import { setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import { wholeCatalogue } from '../catalogue/catalogue.ts'
import { connect } from '../database/connection/connect.ts'
import type { ConnectionConfig } from '../database/connection/session.ts'
import { runTask, type Task } from '../heavy/run-task.ts'
import type { JobQuotas } from '../jobs/quotas.ts'
import { runAttempt } from '../jobs/run-attempt.ts'
import type { JobTask } from '../jobs/runner.ts'
import { lazy } from '../lazy.ts'
import { requestContext } from '../request/context.ts'
import { createLog } from './log.ts'

export interface JobThreadData {
  connection: ConnectionConfig
  quotas: JobQuotas
  logLevel: string
}

/** Connections for the progress, input and output of a job; its rows use another one. */
const database = { max: 2, connectionTimeoutMillis: 10_000 }

/** Makes an attempt at a job in this thread. */
export function run(task: Task<JobTask>): Promise<unknown> {
  return runTask(task, async ({ key, enumerations }, { signal, reportProgress }) => {
    // Outside the request: reads are not limited, and an interruption cancels no statement.
    await requestContext.exit(() => runAttempt(key, { ...made(), enumerations, signal, reportProgress }))
    return { output: undefined, moved: [] }
  })
}

const made = lazy(() => {
  // A priority below the threads for requests. Only on Linux a thread has its own priority.
  if (process.platform === 'linux') setPriority(10)
  const { connection, quotas, logLevel } = workerData as JobThreadData
  const log = createLog(logLevel)
  const onError = (error: Error) => log.warn({ reason: error.message }, 'a database connection broke')
  return { catalogue: wholeCatalogue(connect({ ...connection, ...database }, onError)), quotas, log }
})
