import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../../database/tables.ts'
import { messageOf } from '../../errors.ts'
import { inTimeForShutdown } from '../../request/give-up.ts'
import { type Catalogue, wholeCatalogue } from '../catalogue.ts'
import { productTotalAsOf } from '../projections/as-of.ts'

const hourMs = 3_600_000
const retryMs = 60_000
/** Timers may fire early. */
const marginMs = 100
const keptHours = 14 * 24

/** SQL: the numbers of products, ready products and asset groups of a store now, as `metric, dimension, value`. */
export const currentMeasures = (uuid: string): RawBuilder<unknown> => sql`
  select 'PRODUCTS' as metric, '' as dimension, coalesce(sum(count), 0) as value from product_total
  where store_uuid = ${uuid}
  union all
  select 'PRODUCTS_BY_STATUS', status, sum(count) from product_total where store_uuid = ${uuid} group by status
  union all
  select 'READY_PRODUCTS', c.channel, greatest(${productTotalAsOf(uuid, 'READINESS')} - c.blocked, 0)
  from channel_readiness c where c.store_uuid = ${uuid} and c.state = 'current'
  union all
  select 'READY_PRODUCTS', m.dimension, 0 from (
    select distinct dimension from measure where store_uuid = ${uuid} and metric = 'READY_PRODUCTS'
  ) m where not exists (
    select from channel_readiness c where c.store_uuid = ${uuid} and c.channel = m.dimension and c.state = 'current')
  union all
  select 'GROUPS', json_build_array(channel, asset_format)::text, sum(groups) from asset_group_total
  where store_uuid = ${uuid} group by channel, asset_format`

/**
 * Stores the measures of all stores at once, and then at the end of each hour. Several processes may do so: they store
 * the same numbers. Returns the function that ends it, within half a second.
 */
export function startMeasures(db: Kysely<Database>, log: Logger): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const warn = (error: unknown) => {
    if (!signal.aborted) log.warn({ reason: messageOf(error) }, 'measures')
  }
  const ended = measureHourly(wholeCatalogue(db), signal, warn).catch(() => {})
  return async () => {
    stopping.abort()
    await inTimeForShutdown(ended)
  }
}

async function measureHourly(catalogue: Catalogue, signal: AbortSignal, warn: (error: unknown) => void): Promise<void> {
  let at = new Date()
  for (;;) {
    const isDone = await measureStores(catalogue, at, signal).then(() => true, warn)
    const pauseMs = isDone ? hourMs - (Date.now() % hourMs) + marginMs : retryMs
    await sleep(pauseMs, undefined, { ref: false, signal })
    if (isDone) at = new Date(Date.now() - (Date.now() % hourMs) - 1)
  }
}

/** Stores the measures of all stores as those at the end of the hour and the day of a time. */
export async function measureStores(catalogue: Catalogue, at: Date, signal?: AbortSignal): Promise<void> {
  const stores = await sql<{ uuid: string }>`select store_uuid as uuid from store`.execute(catalogue.db)
  const errors: unknown[] = []
  for (const { uuid } of stores.rows) {
    if (signal?.aborted) return
    try {
      await writeMeasures(catalogue, uuid, at)
      if (at.getUTCHours() === 23) await deleteOldHours(catalogue, uuid, at)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/** A measure that is equal to the last stored one has no row of its own. */
async function writeMeasures({ db }: Catalogue, uuid: string, at: Date): Promise<void> {
  await sql`
    insert into measure (store_uuid, metric, dimension, grain, at, value)
    select ${uuid}::uuid, m.metric, m.dimension, g.grain, date_trunc(g.grain, ${at}::timestamptz, 'UTC'), m.value
    from (${currentMeasures(uuid)}) m cross join (values ('day'), ('hour')) g(grain) left join lateral (
      select value from measure
      where store_uuid = ${uuid} and metric = m.metric and dimension = m.dimension and grain = g.grain
        and at <= ${at}::timestamptz
      order by at desc limit 1
    ) last on true
    where last.value is distinct from m.value
    order by m.metric, m.dimension, g.grain
    on conflict (store_uuid, metric, dimension, grain, at) do update set value = excluded.value`.execute(db)
}

/** The last value of each measure before the kept hours holds until the next one. */
async function deleteOldHours({ db }: Catalogue, uuid: string, at: Date): Promise<void> {
  const oldest = new Date(at.getTime() - keptHours * hourMs)
  await sql`
    delete from measure m where m.store_uuid = ${uuid} and m.grain = 'hour' and m.at < ${oldest}::timestamptz and exists (
      select from measure later
      where later.store_uuid = ${uuid} and later.metric = m.metric and later.dimension = m.dimension
        and later.grain = 'hour' and later.at > m.at and later.at <= ${oldest}::timestamptz
    )`.execute(db)
}

/**
 * Stores invented numbers of products for the days before today, which grow to the present ones: for a demo. At
 * midnight the true ones of yesterday may be there first.
 */
export async function inventMeasures({ db }: Catalogue, uuid: string, days: number): Promise<void> {
  await sql`
    insert into measure (store_uuid, metric, dimension, grain, at, value)
    select ${uuid}::uuid, metric, dimension, 'day', date_trunc('day', now(), 'UTC') - day * interval '1 day', sum(value)
    from generate_series(1, ${days}::integer) day cross join lateral (
      select status, round(count(*) * (1 - day / 150.0) * (1 + sin(day / 5.0 + length(status)) / 15)) as value
      from product where store_uuid = ${uuid} group by status
    ) past cross join lateral (values ('PRODUCTS', ''), ('PRODUCTS_BY_STATUS', status)) m(metric, dimension)
    group by metric, dimension, day
    on conflict (store_uuid, metric, dimension, grain, at) do nothing`.execute(db)
}
