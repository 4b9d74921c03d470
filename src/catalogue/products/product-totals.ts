import { type RawBuilder, sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import type { ProductStatus } from '../enumerations.ts'

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
