import { type RawBuilder, sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import type { Split } from '../conditions.ts'

/** How many items of changes are read at most to find the products that were changed last. */
const maxItems = 50_000

/** The products of a store that were changed since a time. `since`: null if the ledger cannot tell. */
export interface RecentProducts {
  since: string | null
  codes: string[] | null
}

/**
 * The products that were changed last before a time, by the ledger: at least as many as `wanted`, if there are. Knows
 * none if the ledger lacks changes, or has too many. A statement of its own: on a worker node of Citus, a function
 * cannot read distributed tables.
 */
export async function findRecentProducts(
  catalogue: Catalogue,
  storeUuid: string,
  before: string | null,
  wanted: number,
): Promise<RecentProducts> {
  const { rows } = await sql<RecentProducts>`
    select since::text, codes from changed_products(${visibleStore(catalogue, storeUuid)}::uuid,
      ${before ?? 'infinity'}::timestamptz, ${wanted}::integer, ${maxItems}::integer)`.execute(catalogue.db)
  return rows[0] ?? { since: null, codes: null }
}

/** The conditions of two lists of products `p`: the recent ones, and all others. */
export function splitByRecent({ since, codes }: RecentProducts): Split {
  if (since === null) return [sql`false`, sql`true`]
  return [
    sql`p.updated_at >= ${since}::timestamptz and p.product_code = any(${codes}::text[])`,
    sql`p.updated_at < ${since}::timestamptz`,
  ]
}

/** Whether products that are not recent may have been changed at a time or later. */
export function mayBeEarlier(from: Date, { since }: RecentProducts): RawBuilder<boolean> {
  return since === null ? sql`true` : sql`${from} < ${since}::timestamptz`
}
