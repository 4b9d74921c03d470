import { sql } from 'kysely'
import { bucketOf, inBuckets, type Metric, type SeriesRow } from '../catalogue/rows/series.ts'

/** Of imports that were no dry runs, by the time of their end. */
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
