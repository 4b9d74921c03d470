import { type RawBuilder, sql } from 'kysely'
import type { KeysetPage } from '../conditions.ts'

/** How many items of changes are read at most to find the products that were changed last. */
const maxItems = 50_000

/**
 * A CTE `recent(since, codes)` for a page of products in the order of their last change, the newest first: the codes
 * that were changed since a time, by the ledger. Null if the ledger lacks changes, or these are too many. About twice as
 * many as the page has: some may be deleted, or not match the filter.
 */
export function recentProducts(storeUuid: string | null, before: string | null, { limit }: KeysetPage) {
  return sql`recent as materialized (
      select since, codes from changed_products(${storeUuid}::uuid, ${before ?? 'infinity'}::timestamptz,
        ${2 * limit}::integer, ${maxItems}::integer)
    ), `
}

/** The conditions of the two parts of such a page: the products `p` in `recent`, and all others. */
export const changedRecently = sql<boolean>`p.updated_at >= (select since from recent)
        and p.product_code = any((select codes from recent)::text[])`
export const changedEarlier = sql<boolean>`(p.updated_at < (select since from recent)) is not false`

/** Whether the second part may have products that were changed at a time or later. */
export function isEarlier(from: Date): RawBuilder<boolean> {
  return sql<boolean>`(${from} < (select since from recent)) is not false`
}
