import { setTimeout as sleep } from 'node:timers/promises'
import { type Catalogue, wholeCatalogue } from '../../catalogue/catalogue.ts'
import { findJobs, type Job } from '../../jobs/job.ts'
import type { Viewer } from '../../request/caller.ts'
import { requestContext } from '../../request/context.ts'

const everyMs = 500

export type JobWatch = ReturnType<typeof createJobWatch>

/** Makes the function that finds a watched job after a while: all that wait are found by one statement. */
export function createJobWatch(db: Catalogue['db']): (viewer: Viewer, jobId: string) => Promise<Job | undefined> {
  const catalogue = wholeCatalogue(db)
  let next: { ids: Set<string>; jobs: ReturnType<typeof findJobs> } | undefined
  const begin = () => {
    const ids = new Set<string>()
    const find = async () => {
      await sleep(everyMs, undefined, { ref: false })
      next = undefined
      return findJobs(catalogue, [...ids])
    }
    return { ids, jobs: requestContext.exit(find) }
  }
  return async ({ stores }, jobId) => {
    next ??= begin()
    next.ids.add(jobId)
    const job = (await next.jobs).get(jobId)
    return !job || (stores?.has(job.storeUuid) ?? true) ? job : undefined
  }
}
