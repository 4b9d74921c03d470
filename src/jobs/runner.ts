import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Enumerations } from '../catalog/enumerations.ts'
import { type View, wholeCatalogue } from '../catalog/viewer.ts'
import type { Database } from '../database/tables.ts'
import { isUnavailable } from '../database/unavailable.ts'
import { loggableError } from '../loggable-error.ts'
import { beat, type ClaimedJob, claimJob, finishJob, releaseJob, sweepJobs } from './claim.ts'
import type { JobCounts } from './job.ts'
import { inWordsOfApi } from './start-job.ts'

export interface JobRunner {
  /** Says that there may be something to do. */
  wake(): void
  /** Gives the job that is under way back, once its chunk is written, and takes no other. */
  stop(): Promise<void>
}

export interface RunnerOptions {
  db: Kysely<Database>
  enumerations(): Enumerations
  log: Logger
}

const askEveryMs = 5_000
const beatEveryMs = 2_000
const sweepEveryMs = 3_600_000
/** How long a stop waits for a chunk to be written: what is not is done again later. */
const farewellMs = 500

/** Runs the jobs of all stores in the background, one at a time, those that another gateway has left behind too. */
export function startRunner({ db: given, enumerations, log }: RunnerOptions): JobRunner {
  // Whoever starts a job may see its store; nobody waits for it on behalf of a request.
  const db = wholeCatalogue(given.withoutPlugins())
  const stopping = new AbortController()
  let wake = () => {}
  let sweptAt = 0
  const warn = (error: unknown) =>
    log.warn({ reason: error instanceof Error ? error.message : error }, 'jobs cannot be looked for')

  const loop = async () => {
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      if (Date.now() - sweptAt > sweepEveryMs) {
        sweptAt = Date.now()
        await sweepJobs(db).catch(warn)
      }
      const job = await claimJob(db).catch(warn)
      if (job) await work(db, job, enumerations(), stopping.signal, log).catch(warn)
      else
        await Promise.race([woken, sleep(askEveryMs, undefined, { ref: false, signal: stopping.signal })]).catch(
          () => {},
        )
    }
  }
  const ended = loop()
  return {
    wake: () => wake(),
    stop: async () => {
      stopping.abort()
      await Promise.race([ended, sleep(farewellMs, undefined, { ref: false })])
    },
  }
}

async function work(
  db: View,
  job: ClaimedJob,
  enumerations: Enumerations,
  stopping: AbortSignal,
  log: Logger,
): Promise<void> {
  const lost = new AbortController()
  const signal = AbortSignal.any([stopping, lost.signal])
  let counts: Partial<JobCounts> = {}
  const timer = setInterval(() => {
    beat(db, job, counts).then(
      (isMine) => isMine || lost.abort(),
      () => {},
    )
  }, beatEveryMs)
  try {
    const onProgress = (now: Partial<JobCounts>) => {
      counts = now
    }
    // Loaded with the first job: a gateway may never have one.
    const { runJob } = await import('./run-job.ts')
    const end = await runJob(db, job, enumerations, { signal, onProgress })
    if (end.state === 'ended') await finishJob(db, job, { ...end, error: end.error && inWordsOfApi(end.error) })
    else if (end.state === 'given back') await releaseJob(db, job)
  } catch (error) {
    // It is taken up again, here or elsewhere, when it has shown no sign of life for a while.
    if (isUnavailable(error)) return
    await finishJob(db, job, { error: reasonOf(error, job, log), counts })
  } finally {
    clearInterval(timer)
  }
}

/** What the caller may know: an import's own words, and of anything else that it went wrong. */
function reasonOf(error: unknown, { jobId }: ClaimedJob, log: Logger): string {
  if (error instanceof Error && (error.name === 'UsageError' || error.name === 'CatalogueError')) {
    return inWordsOfApi(error.message)
  }
  log.error({ err: loggableError(error), jobId }, 'unexpected error in a job')
  return 'the service made a mistake; it has been logged'
}
