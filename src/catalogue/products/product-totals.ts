import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import type { ProductStatus } from '../enumerations.ts'

const shards = 16

/** The row of each status that a writer adds to: random, so that writers seldom wait for each other. */
export const randomShard = () => randomInt(shards)

/**
 * A CTE for a statement that writes products: adds the rows `(status, delta)` of a query to the totals of a store, in
 * the order of their keys, so that no two writers wait for each other. A status without a difference is not written.
 */
export function totalled(storeUuid: string, deltas: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`totalled as (
      insert into product_total as t (store_uuid, shard, status, count)
      select ${storeUuid}::uuid, ${randomShard()}::smallint, status, sum(delta) from (${deltas}) d
      group by status having sum(delta) <> 0
      order by status
      on conflict (store_uuid, shard, status) do update set count = t.count + excluded.count
    )`
}

/** The number of a store's products, or of those with one of the statuses. */
export function totalOf(storeUuid: string | null, statuses?: readonly string[] | null): RawBuilder<number> {
  const selected = statuses == null ? sql`` : sql`and status = any(${[...statuses]}::text[])`
  return sql`(select coalesce(sum(count), 0)::int from product_total where store_uuid = ${storeUuid} ${selected})`
}

export async function countStatuses(
  catalogue: Catalogue,
  storeUuid: string,
): Promise<{ status: ProductStatus; count: number }[]> {
  const { rows } = await sql<{ status: ProductStatus; count: number }>`
    select status, sum(count)::int as count from product_total
    where store_uuid = ${visibleStore(catalogue, storeUuid)}
    group by status having sum(count) <> 0
    order by status`.execute(catalogue.db)
  return rows
}
