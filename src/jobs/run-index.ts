import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import { type WriteCatalogue, wholeCatalogue } from '../catalogue/catalogue.ts'
import { lockStore } from '../catalogue/locks.ts'
import { write } from '../catalogue/transaction.ts'
import { findUnindexed, indexValues, isUnindexed } from '../catalogue/values/index-values.ts'
import type { Database } from '../database/tables.ts'
import { isLockTimeout } from '../database/unavailable.ts'
import { messageOf } from '../errors.ts'
import { noCounts } from '../import/report/counts.ts'
import { storeUuidOf } from '../text.ts'
import type { RunJob } from './attempt.ts'
import type { Job } from './job.ts'
import type { JobQuotas } from './quotas.ts'
import { insertJob } from './start-job.ts'

/**
 * Indexes the values of filterable attributes after the definitions of a store were written: at once in a small store,
 * otherwise by a job. Returns whether it queued a job: none if a job is queued, or if the running ones index them all.
 * A retry also queues none while any job runs, and for an hour after one failed. Throws `quota_exceeded`.
 */
export async function startIndexing(
  catalogue: WriteCatalogue,
  store: string,
  quotas: JobQuotas,
  isRetry = false,
): Promise<boolean> {
  const storeUuid = storeUuidOf(store) ?? ''
  const { jobs, isStale, isSmall } = await findUnindexed(catalogue, storeUuid)
  if (jobs.length === 0 && !isStale) return false
  if (isSmall) {
    await indexValues(catalogue, storeUuid, uuidv7())
    return false
  }
  const { rows: live } = await sql<{ id: string; state: Job['state'] }>`
    select job_id as id, state from job where store_uuid = ${storeUuid} and kind = 'index'
      and (finished_at is null or ${isRetry} and state = 'failed' and finished_at > now() - interval '1 hour')`.execute(
    catalogue.db,
  )
  const isBegun = (job: string | null) => live.some(({ id }) => id === job)
  if (live.some(({ state }) => isRetry || state === 'queued') || (!isStale && jobs.every(isBegun))) return false
  await insertJob(catalogue, storeUuid, 'index', {}, '', quotas)
  return true
}

/**
 * Queues jobs for the attributes of all stores that are filterable, but not indexed, and that no job indexes: the job
 * failed, was deleted, or was not in the backup. Returns whether it queued a job. The failure of a store is logged.
 */
export async function resumeIndexing(db: Kysely<Database>, quotas: JobQuotas, log: Logger): Promise<boolean> {
  const catalogue = wholeCatalogue(db)
  const stores = await db.selectFrom('store').select('store_uuid').execute()
  let isQueued = false
  for (const { store_uuid } of stores) {
    try {
      if (!(await isUnindexed(catalogue, store_uuid))) continue
      const isNew = await write(catalogue, false, async (work) => {
        // Several gateways do this.
        await lockStore(work, store_uuid, { definitions: 'all', products: 'all' })
        return startIndexing(work, store_uuid, quotas, true)
      })
      isQueued ||= isNew
    } catch (error) {
      const reason = messageOf(error)
      log.warn({ reason, storeUuid: store_uuid }, 'the job that indexes a store could not be started again')
    }
  }
  return isQueued
}

/** Starts again after an interrupted attempt, and after a wait for a lock that was too long, as for a large dry run. */
export const runIndex: RunJob = async (catalogue, attempt, { signal }) => {
  const onProgress = (rows: number) => {
    signal.throwIfAborted()
    attempt.counts = { ...noCounts, rows }
  }
  for (;;) {
    try {
      await indexValues(catalogue, attempt.storeUuid, attempt.jobId, onProgress)
      return undefined
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      signal.throwIfAborted()
    }
  }
}
