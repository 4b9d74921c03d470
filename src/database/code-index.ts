import { type Kysely, sql } from 'kysely'
import type { Database } from './tables.ts'

/** The advice if the index of parts of product codes is missing (0001-catalogue.sql); otherwise undefined. */
export async function codeIndexAdvice(db: Kysely<Database>): Promise<string | undefined> {
  const { rows } = await sql`select where to_regclass('product_by_code_part') is null`.execute(db)
  if (rows.length === 0) return undefined
  return 'search in product codes is slow: create the extensions pg_trgm and btree_gin, then run "select index_product_codes()"'
}
