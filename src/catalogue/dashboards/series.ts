import { type RawBuilder, sql } from 'kysely'
import { type FieldFault, faultsOf, invalidRequest, requireNoFaults } from '../../errors.ts'
import type { Catalogue } from '../catalogue.ts'
import { storesToRead } from '../stores/list-stores.ts'
import type { RowsRequest } from './rows-of-stores.ts'

/** Intervals of equal length: the first contains `from`, the last `to`. */
export interface Buckets {
  from: Date
  to: Date
  intervalMs: number
}

/**
 * A value of a bucket. The first labels are the values of the requested dimensions; values of others are added up.
 */
export interface SeriesRow {
  time: Date
  labels: string[]
  value: number
}

export interface SeriesPoint {
  time: Date
  /** Null before the first value. */
  value: number | null
  label: string
  storeUuid: string | null
}

export type Dimension = 'store' | 'channel' | 'format' | 'status' | 'operation' | 'actor'

/** A number over time: how to read it, its dimensions, and whether a value holds until the next one. */
export interface Metric {
  name: string
  dimensions: readonly Dimension[]
  lasts: boolean
  leastMs: number
  read(catalogue: Catalogue, storeUuid: string, buckets: Buckets, by: readonly Dimension[]): Promise<SeriesRow[]>
}

export interface SeriesRequest extends Pick<RowsRequest, 'storeUuids'> {
  by: readonly Dimension[]
  from: Date
  to: Date
  intervalMs: number | null | undefined
  maxPoints: number
}

const maxAnswerPoints = 20_000
const minute = 60_000
const usual = [1, 5, 15, 60, 6 * 60, 24 * 60, 7 * 24 * 60, 28 * 24 * 60, 364 * 24 * 60].map(
  (minutes) => minutes * minute,
)
/** A Monday, in UTC: intervals of weeks start on Mondays. */
const origin = Date.UTC(2001, 0, 1)

/**
 * A metric of stores over time: a point for each bucket, ordered by label and time. Throws `invalid_request`.
 */
export async function listSeries(catalogue: Catalogue, metric: Metric, request: SeriesRequest): Promise<SeriesPoint[]> {
  const by = [...new Set(request.by)]
  const buckets = bucketsOf(metric, request, by)
  const inner = by.filter((dimension) => dimension !== 'store')
  const stores = await storesToRead(catalogue, request.storeUuids)
  const series = new Map<string, { label: string; storeUuid: string | null; values: Map<number, number>[] }>()
  for (const { storeUuid, storeName } of stores) {
    const rows = await metric.read(catalogue, storeUuid, buckets, inner)
    const parts = [...Map.groupBy(rows, ({ labels }) => JSON.stringify(labels)).values()]
    for (const part of parts.length === 0 && inner.length === 0 ? [[]] : parts) {
      const rest = (part[0]?.labels ?? []).slice(0, inner.length).join('/')
      const [byStore, name] = by.includes('store') ? [storeUuid, storeName] : [null, '']
      const label = [name, rest].filter((part) => part !== '').join('/') || metric.name
      const key = JSON.stringify([byStore, rest])
      const known = series.get(key) ?? { label, storeUuid: byStore, values: [] }
      series.set(key, known)
      known.values.push(new Map(part.map(({ time, value }) => [time.getTime(), value])))
    }
  }
  const times = timesOf(buckets)
  if (series.size * times.length > maxAnswerPoints) {
    const details = `a series must have at most ${maxAnswerPoints} points; these are ${series.size} labels of ${times.length} each: choose fewer dimensions or stores, or a longer interval`
    throw invalidRequest([{ field: 'interval', details }])
  }
  return [...series.values()].flatMap(({ label, storeUuid, values }) => {
    const sums = sumsOf(values, times, metric.lasts)
    return times.map((time, i) => ({ time: new Date(time), value: sums[i] ?? null, label, storeUuid }))
  })
}

/** The sum over the stores in each bucket. A value that lasts fills the buckets after it; null before the first. */
function sumsOf(values: readonly Map<number, number>[], times: readonly number[], lasts: boolean): (number | null)[] {
  const last = values.map((): number | null => (lasts ? null : 0))
  return times.map((time) => {
    const now = values.map((known, i) => {
      const value = known.get(time) ?? (lasts ? (last[i] ?? null) : 0)
      last[i] = value
      return value
    })
    return now.every((value) => value === null) ? null : now.reduce<number>((sum, value) => sum + (value ?? 0), 0)
  })
}

function bucketsOf(
  metric: Metric,
  { from, to, intervalMs, maxPoints }: SeriesRequest,
  by: readonly Dimension[],
): Buckets {
  const span = to.getTime() - from.getTime()
  const chosen =
    intervalMs ?? usual.find((ms) => ms >= metric.leastMs && span / ms + 1 <= maxPoints) ?? usual.at(-1) ?? minute
  const points = Math.floor(span / chosen) + 1
  const unknown = by.filter((dimension) => !metric.dimensions.includes(dimension))
  const names = metric.dimensions.map((dimension) => dimension.toUpperCase()).join(', ')
  const faults: FieldFault[] = [
    ['to', span < 0 && `must not be before from; got ${to.toISOString()}, and from ${from.toISOString()}`],
    ['by', unknown.length > 0 && `of ${metric.name} must be some of ${names}; got ${unknown.join(', ').toUpperCase()}`],
    [
      'interval',
      chosen % metric.leastMs !== 0 &&
        `of ${metric.name} must be a multiple of ${metric.leastMs / minute}m; got ${chosen / minute}m`,
    ],
    [
      'interval',
      points > maxPoints &&
        `must make at most ${maxPoints} points; these are ${points}: choose a longer one, or a shorter time`,
    ],
  ]
  requireNoFaults(faultsOf(faults))
  return { from, to, intervalMs: chosen }
}

function timesOf({ from, to, intervalMs }: Buckets): number[] {
  const first = origin + Math.floor((from.getTime() - origin) / intervalMs) * intervalMs
  const count = Math.max(0, Math.floor((Math.min(to.getTime(), Date.now()) - first) / intervalMs) + 1)
  return Array.from({ length: count }, (_, i) => first + i * intervalMs)
}

/** SQL: the start of the bucket of a time. */
export function bucketOf(time: RawBuilder<unknown>, { intervalMs }: Buckets): RawBuilder<Date> {
  return sql<Date>`date_bin(${intervalMs / 1_000} * interval '1 second', ${time}, '2001-01-01Z')`
}

/** SQL: whether a time is in one of the buckets. */
export function inBuckets(time: RawBuilder<unknown>, { from, to, intervalMs }: Buckets): RawBuilder<boolean> {
  const first = new Date(origin + Math.floor((from.getTime() - origin) / intervalMs) * intervalMs)
  const end = new Date(origin + (Math.floor((to.getTime() - origin) / intervalMs) + 1) * intervalMs)
  return sql<boolean>`(${time} >= ${first}::timestamptz and ${time} < ${end}::timestamptz)`
}
