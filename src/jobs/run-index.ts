import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import { type WriteCatalogue, wholeCatalogue } from '../catalogue/catalogue.ts'
import { lockStore } from '../catalogue/locks.ts'
import { write } from '../catalogue/transaction.ts'
import { findUnindexed, indexValues, isUnindexed } from '../catalogue/values/index-values.ts'
import type { Database } from '../database/tables.ts'
import { isLockTimeout } from '../database/unavailable.ts'
import { noCounts } from '../import/report/counts.ts'
import { storeUuidOf } from '../text.ts'
import type { Work } from './attempt.ts'
import { listJobs } from './list-jobs.ts'
import type { JobQuotas } from './quotas.ts'
import { insertJob } from './start-job.ts'

/**
 * After definitions of a store were written: has the values of filterable attributes indexed, at once in a small store,
 * else by a job. Returns whether it has queued one. Throws `quota_exceeded`.
 */
export async function startIndexing(catalogue: WriteCatalogue, store: string, quotas: JobQuotas): Promise<boolean> {
  const storeUuid = storeUuidOf(store) ?? ''
  const { jobs, isStale, isSmall } = await findUnindexed(catalogue, storeUuid)
  if (jobs.length === 0 && !isStale) return false
  if (isSmall) {
    await indexValues(catalogue, storeUuid, uuidv7())
    return false
  }
  const filter = { kind: ['index'], state: ['queued', 'running'] } as const
  const live = await listJobs(catalogue, storeUuid, filter, { limit: 100, backwards: false })
  const isBegun = (id: string | null) => live.some(({ jobId }) => jobId === id)
  if (live.some(({ state }) => state === 'queued') || (!isStale && jobs.every(isBegun))) return false
  await insertJob(catalogue, storeUuid, 'index', {}, '', quotas)
  return true
}

/**
 * Indexes what is filterable, but neither indexed nor being so, in all stores: the job has failed, was deleted, or was
 * not in the backup. Returns whether it has queued one. What fails for a store is logged, and the others follow.
 */
export async function resumeIndexing(db: Kysely<Database>, quotas: JobQuotas, log: Logger): Promise<boolean> {
  const catalogue = wholeCatalogue(db)
  const stores = await db.selectFrom('store').select('store_uuid').execute()
  let isQueued = false
  for (const { store_uuid } of stores) {
    try {
      if (!(await isUnindexed(catalogue, store_uuid))) continue
      const isNew = await write(catalogue, false, (work) => resume(work, store_uuid, quotas))
      isQueued ||= isNew
    } catch (error) {
      const reason = error instanceof Error ? error.message : error
      log.warn({ reason, storeUuid: store_uuid }, 'the job that indexes a store could not be started again')
    }
  }
  return isQueued
}

/** Under locks, as several gateways do this. A job that fails each time is started once an hour. */
async function resume(work: WriteCatalogue, storeUuid: string, quotas: JobQuotas): Promise<boolean> {
  await lockStore(work, storeUuid, { definitions: 'all', products: 'all' })
  const { rows } = await sql`
    select from job where store_uuid = ${storeUuid} and kind = 'index' and state <> 'succeeded'
      and (finished_at is null or created_at > now() - interval '1 hour')
    limit 1`.execute(work.db)
  return rows.length === 0 && startIndexing(work, storeUuid, quotas)
}

/** An attempt after an interrupted one starts again, and so does one that waited too long, as for a large dry run. */
export const runIndex: Work = async (catalogue, attempt, { signal }) => {
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
