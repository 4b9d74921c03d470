import { type RawBuilder, sql } from 'kysely'
import { isOfCatalogue } from '../changes/change.ts'
import { enumNameOf } from '../enumerations.ts'
import { currentMeasures } from './measures.ts'
import { bucketOf, type Dimension, inBuckets, type Metric, type SeriesRow } from './series.ts'

const minute = 60_000
const hour = 60 * minute
const columns: Partial<Record<Dimension, string>> = { operation: 'operation', actor: 'actor' }

/** Computed from the changes that are kept. */
export const changesMetric = changeMetric('CHANGES', sql`sum(items)`)
export const writesMetric = changeMetric('WRITES', sql`count(distinct request_id)`)
export const failedItemsMetric = changeMetric('FAILED_ITEMS', sql`sum(failed)`)
/** Stored at the end of each hour; the last interval has the value of now. */
export const productsMetric = measureMetric('PRODUCTS', ['status'])
export const readyProductsMetric = measureMetric('READY_PRODUCTS', ['channel'])
export const groupsMetric = measureMetric('GROUPS', ['channel', 'format'])

function changeMetric(name: string, value: RawBuilder<unknown>): Metric {
  const at = sql.ref('at')
  return {
    name,
    dimensions: ['store', 'operation', 'actor'],
    lasts: false,
    leastMs: minute,
    read: async (catalogue, storeUuid, buckets, by) => {
      const labels = sql`array[${sql.join(by.map((dimension) => sql.ref(columns[dimension] ?? '')))}]::text[]`
      const { rows } = await sql<SeriesRow>`
        select ${bucketOf(at, buckets)} as time, ${labels} as labels, ${value}::float8 as value from change
        where store_uuid = ${storeUuid} and ${isOfCatalogue} and ${inBuckets(at, buckets)}
        group by 1, 2 order by 2, 1`.execute(catalogue.db)
      return rows
    },
  }
}

/** A metric of stored measures. Their `dimension` is the value of one dimension, or a JSON list of several. */
function measureMetric(name: string, own: readonly Dimension[]): Metric {
  const at = sql.ref('at')
  return {
    name,
    dimensions: ['store', ...own],
    lasts: true,
    leastMs: hour,
    read: async ({ db }, storeUuid, buckets, by) => {
      const { intervalMs, from } = buckets
      const grain = intervalMs % (24 * hour) === 0 ? 'day' : 'hour'
      const measure = by.includes('status') ? `${name}_BY_STATUS` : name
      // The last value before the first bucket counts for it.
      const { rows } = await sql<Omit<SeriesRow, 'labels'> & { dimension: string }>`
        select distinct on (dimension, time) dimension, time, value::float8 as value
        from (
          select *, greatest(${bucketOf(at, buckets)}, ${bucketOf(sql`${from}::timestamptz`, buckets)}) as time
          from (
            select dimension, value, at from measure
            where store_uuid = ${storeUuid} and metric = ${measure} and grain = ${grain}
            union all
            select dimension, value, now() from (${currentMeasures(storeUuid)}) c where metric = ${measure}
          ) known
        ) m
        where ${inBuckets(sql.ref('time'), buckets)}
        order by dimension, time, at desc`.execute(db)
      const order = [...by, ...own.filter((dimension) => !by.includes(dimension))]
      return rows.map(({ dimension, ...row }) => {
        const values: string[] = own.length > 1 ? JSON.parse(dimension) : [dimension]
        const labels = order.map((one) => values[own.indexOf(one)] ?? '')
        return { ...row, labels: by.includes('status') ? labels.map((label) => enumNameOf(label)) : labels }
      })
    },
  }
}
