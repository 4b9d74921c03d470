import { sql } from 'kysely'
import { lockProducts } from './lock-products.ts'
import { storeKey } from './store-key.ts'
import { requireStore } from './stores.ts'
import type { WriteView } from './viewer.ts'

export interface DeletedProducts {
  storeUuid: string
  deletedSkus: string[]
  /** Codes that the store does not have. */
  unavailableSkus: string[]
}

/**
 * Deletes products; the asset groups of their codes stay, as a parent code need not be a product. Throws `store_not_found`. Three statements,
 * whatever the number of codes.
 */
export async function deleteProducts(
  db: WriteView,
  storeUuid: string,
  productCodes: readonly string[],
): Promise<DeletedProducts> {
  const uuid = await requireStore(db, storeUuid)
  const codes = [...new Set(productCodes)]
  const known = await lockProducts(db, uuid, codes)
  await sql`
    delete from product where store_uuid = ${storeKey(uuid)} and product_code = any(${[...known]}::text[])`.execute(db)
  return {
    storeUuid: uuid,
    deletedSkus: codes.filter((code) => known.has(code)),
    unavailableSkus: codes.filter((code) => !known.has(code)),
  }
}
