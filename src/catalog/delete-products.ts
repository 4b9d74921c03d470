import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'
import { requireStore } from './stores.ts'
import { isName } from './text.ts'

export interface DeletedProducts {
  storeUuid: string
  deletedSkus: string[]
  /** Codes that the store does not have. */
  unavailableSkus: string[]
}

/**
 * Deletes products; the asset groups of their codes stay, as a parent code need not be a product. Throws `store_not_found`. Two statements,
 * whatever the number of codes.
 */
export async function deleteProducts(
  db: Transaction<Database>,
  storeUuid: string,
  productCodes: readonly string[],
): Promise<DeletedProducts> {
  const uuid = await requireStore(db, storeUuid)
  const codes = [...new Set(productCodes)]
  const { rows } = await sql<{ product_code: string }>`
    with doomed as (
      select product_code from product
      where store_uuid = ${uuid}::uuid and product_code = any(${codes.filter((code) => isName(code))}::text[])
      order by product_code
      for update
    )
    delete from product p using doomed
    where p.store_uuid = ${uuid}::uuid and p.product_code = doomed.product_code
    returning p.product_code`.execute(db)
  const deleted = new Set(rows.map((row) => row.product_code))
  return {
    storeUuid: uuid,
    deletedSkus: codes.filter((code) => deleted.has(code)),
    unavailableSkus: codes.filter((code) => !deleted.has(code)),
  }
}
