import { type RawBuilder, sql } from 'kysely'
import type { KeysetPage } from '../conditions.ts'

/** How many items of changes may be read to find the products that were changed last. */
const mostItems = 50_000

/**
 * A CTE `recent` for a page of products in the order of their last change, the newest first: which products were
 * changed `since` a time before the page begins, by the ledger; null where it does not say so, or these are too many.
 * About twice as many as the page has: some may be deleted, or do not match the filter.
 */
export function recentProducts(storeUuid: string | null, before: string | null, { limit }: KeysetPage) {
  return sql`recent as materialized (
      select since, codes from changed_products(${storeUuid}::uuid, ${before ?? 'infinity'}::timestamptz,
        ${2 * limit}::integer, ${mostItems}::integer)
    ), `
}

/** The conditions of the two parts of such a page: the products `p` that the ledger knows, and all others. */
export const changedRecently = sql<boolean>`p.updated_at >= (select since from recent)
        and p.product_code = any((select codes from recent)::text[])`
export const changedEarlier = sql<boolean>`(p.updated_at < (select since from recent)) is not false`

/** Whether a product that was changed at a time or later may be of the second part. */
export function isEarlier(from: Date): RawBuilder<boolean> {
  return sql<boolean>`(${from} < (select since from recent)) is not false`
}
