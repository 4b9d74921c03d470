import { sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue/catalogue.ts'
import { allOf, type KeysetPage, within } from '../catalogue/conditions.ts'
import { type Job, jobColumns } from './job.ts'

const withFailures = 'succeeded with failures'

/** The state of a job as it is shown: that rows of a finished import have failed is part of it. */
export type ShownState = Job['state'] | typeof withFailures

export function stateOf({ state, counts }: Job): ShownState {
  return state === 'succeeded' && counts.failed + counts.assetsFailed > 0 ? withFailures : state
}

/** All given conditions must hold. */
export interface JobFilter {
  kind?: readonly Job['kind'][] | null | undefined
  state?: readonly ShownState[] | null | undefined
}

/** A page of a store's jobs in the order of their ids, which is the order of their creation. */
export function listJobs(catalogue: Catalogue, storeUuid: string, filter: JobFilter, page: KeysetPage): Promise<Job[]> {
  const found = catalogue.db
    .selectFrom('job')
    .select(jobColumns)
    .where('store_uuid', '=', visibleStore(catalogue, storeUuid))
    .where(allOf([matching(filter), ...within(page, 'job_id')]))
    .orderBy('job_id', page.backwards ? 'desc' : 'asc')
    .limit(page.limit)
  return found.$castTo<Job>().execute()
}

export async function countJobs(catalogue: Catalogue, storeUuid: string, filter: JobFilter): Promise<number> {
  const row = await catalogue.db
    .selectFrom('job')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('store_uuid', '=', visibleStore(catalogue, storeUuid))
    .where(matching(filter))
    .executeTakeFirstOrThrow()
  return row.count
}

function matching({ kind, state }: JobFilter) {
  const shown = sql`case when state = 'succeeded' and (counts ->> 'failed')::int + (counts ->> 'assetsFailed')::int > 0 then ${withFailures} else state end`
  return allOf([
    kind != null && sql<boolean>`kind = any(${[...kind]}::text[])`,
    state != null && sql<boolean>`${shown} = any(${[...state]}::text[])`,
  ])
}
