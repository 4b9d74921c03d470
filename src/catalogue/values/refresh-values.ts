import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'

/**
 * Brings the filterable values of products up to date, after they were written, changed or deleted in the transaction
 * that holds their locks (product-values.sql).
 */
export async function refreshValues(
  { db }: WriteCatalogue,
  storeUuid: string,
  productCodes: readonly string[],
): Promise<void> {
  if (productCodes.length === 0) return
  await sql`select refresh_product_values(${storeUuid}::uuid, ${[...productCodes]}::text[])`.execute(db)
}
