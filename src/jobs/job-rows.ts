import { sql } from 'kysely'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { type RowsRequest, rowsOfStores } from '../catalogue/dashboards/rows-of-stores.ts'
import { bucketOf, inBuckets, type Metric, type SeriesRow } from '../catalogue/dashboards/series.ts'
import type { Problem } from '../import/report/failed-row.ts'
import { type Job, jobColumns } from './job.ts'

/** The last jobs of each store. */
export function listJobRows(catalogue: Catalogue, request: RowsRequest) {
  return rowsOfStores(catalogue, request, async ({ storeUuid }, { limit, since }) => {
    const jobs = await catalogue.db
      .selectFrom('job')
      .select(jobColumns)
      .where('store_uuid', '=', storeUuid)
      .where(sql<boolean>`(${since}::timestamptz is null or created_at >= ${since})`)
      .orderBy('job_id', 'desc')
      .limit(limit)
      .$castTo<Job>()
      .execute()
    return jobs.map((job) => ({ ...job, at: job.createdAt }))
  })
}

type FailureRow = Omit<Problem, 'row'> & { at: Date; jobId: string; kind: Job['kind']; row: number | null }

/** The failed rows of the last jobs of each store, at most 20 of a job, and the errors of failed jobs. */
export function listFailureRows(catalogue: Catalogue, request: RowsRequest) {
  return rowsOfStores(catalogue, request, async ({ storeUuid }, { limit, since }) => {
    const { rows } = await sql<FailureRow>`
      select j.created_at as at, j.job_id as "jobId", j.kind, p.* from job j cross join lateral (
        select "row", line, "productCode", field, reason
        from jsonb_to_recordset(j.problems) as p("row" int, line int, "productCode" text, field text, reason text)
        union all select null, null, null, null, j.error where j.error is not null
      ) p
      where j.store_uuid = ${storeUuid} and (${since}::timestamptz is null or j.created_at >= ${since})
      order by j.job_id desc, p."row" limit ${limit}`.execute(catalogue.db)
    return rows
  })
}

/** Rows of imports by the time when the import ended; dry runs are left out. */
export const importedRowsMetric: Metric = {
  name: 'IMPORTED_ROWS',
  dimensions: ['store'],
  lasts: false,
  leastMs: 60_000,
  read: async ({ db }, storeUuid, buckets) => {
    const end = sql.ref('finished_at')
    const { rows } = await sql<SeriesRow>`
      select ${bucketOf(end, buckets)} as time, '{}'::text[] as labels, sum((counts ->> 'rows')::bigint)::float8 as value
      from job
      where store_uuid = ${storeUuid} and kind = 'import' and options ->> 'dryRun' is distinct from 'true'
        and ${inBuckets(end, buckets)}
      group by 1 order by 1`.execute(db)
    return rows
  },
}
