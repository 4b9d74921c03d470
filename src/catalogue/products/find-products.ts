import { type RawBuilder, sql } from 'kysely'
import { currentReadBytes } from '../../request/context.ts'
import { isStorable } from '../../text.ts'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import type { ProductStatus } from '../enumerations.ts'
import type { OrderValue } from './query/order.ts'

export interface Product {
  storeUuid: string
  productCode: string
  status: ProductStatus
  attributes: Record<string, string>
  createdAt: Date
  updatedAt: Date
}

/**
 * A product of a list: `orderValue` is what orders it, if that is not the code. `isDeleted`: it has been deleted since
 * the list was made, and is left out of the page.
 */
export type ListedProduct = Product & { orderValue: OrderValue; isDeleted?: boolean }

export async function findProducts(
  catalogue: Catalogue,
  storeUuid: string,
  codes: readonly string[],
): Promise<Product[]> {
  const found = sql`
        select ${selectedProduct}, null as "orderValue", row_number() over () as nth from product p
        where store_uuid = ${visibleStore(catalogue, storeUuid)} and product_code = any(${codes.filter(isStorable)}::text[])`
  return requireAllRead((await sql<Product>`${withinReadLimit(found)}`.execute(catalogue.db)).rows)
}

/** SQL: the columns of a `Product`. */
export const selectedProduct = sql`p.store_uuid as "storeUuid", p.product_code as "productCode", p.status, p.attributes,
        p.created_at as "createdAt", p.updated_at as "updatedAt"`

/**
 * Selects the listed products of a query in the order of its column `nth`. If the request may not read them all, some
 * attributes are null. They are measured as they are stored, which is fast, and then as text: a control character has
 * six bytes there. The result of `||` is not compressed.
 */
export function withinReadLimit(products: RawBuilder<unknown>): RawBuilder<unknown> {
  const { left } = currentReadBytes()
  return sql`
    select "storeUuid", "productCode", status, "createdAt", "updatedAt", "orderValue",
      case when sum(octet_length(text)) over (order by nth rows unbounded preceding) <= ${left} then text::json end
        as attributes
    from (
      select *, case when sum(pg_column_size(attributes || '{}')) over () <= ${left} then attributes::text end as text
      from (${products}) listed
    ) measured
    order by nth`
}

/** The products of such rows. Throws if the request may not read them all. */
export function requireAllRead<P extends Product>(rows: P[]): P[] {
  if (rows.some(({ attributes }) => attributes === null)) throw currentReadBytes().tooMuch()
  return rows
}

/** The number of a store's products, or of those with one of the statuses. */
export function productTotal(storeUuid: string | null, statuses?: readonly string[] | null): RawBuilder<number> {
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
