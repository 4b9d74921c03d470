import { sql } from 'kysely'
import { storeKey } from './store-key.ts'
import { isName } from './text.ts'
import type { WriteView } from './viewer.ts'

/** Locks the products in the order of their codes and returns which of them exist: until the transaction ends nobody else changes or deletes them. */
export async function lockProducts(db: WriteView, storeUuid: string, codes: readonly string[]): Promise<Set<string>> {
  const possible = codes.filter((code) => isName(code))
  if (possible.length === 0) return new Set()
  const { rows } = await sql<{ product_code: string }>`
    select product_code from product
    where store_uuid = ${storeKey(storeUuid)} and product_code = any(${possible}::text[])
    order by product_code
    for no key update`.execute(db)
  return new Set(rows.map((row) => row.product_code))
}
