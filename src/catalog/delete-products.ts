import { sql } from 'kysely'
import { storeNotFound } from '../errors.ts'
import { lockStores } from './locks.ts'
import { storeKey } from './store-key.ts'
import { isStorable } from './text.ts'
import { visibleStore, type WriteView } from './viewer.ts'

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
  db: WriteView,
  storeUuid: string,
  productCodes: readonly string[],
): Promise<DeletedProducts> {
  const uuid = visibleStore(db, storeUuid)
  const codes = [...new Set(productCodes)]
  const products = codes.filter(isStorable)
  if (!uuid || !(await lockStores(db, new Map([[uuid, { products }]]))).has(uuid)) {
    throw storeNotFound('storeUuid', storeUuid)
  }
  const { rows } = await sql<{ product_code: string }>`
    delete from product where store_uuid = ${storeKey(uuid)} and product_code = any(${products}::text[])
    returning product_code`.execute(db)
  const deleted = new Set(rows.map((row) => row.product_code))
  return {
    storeUuid: uuid,
    deletedSkus: codes.filter((code) => deleted.has(code)),
    unavailableSkus: codes.filter((code) => !deleted.has(code)),
  }
}
