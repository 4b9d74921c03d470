import { sql } from 'kysely'
import { isStorable } from '../../text.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { storeKey } from '../conditions.ts'
import { lockStore } from '../locks.ts'

/** Deletes products; their asset groups stay, as a parent code need not be a product. Throws `store_not_found`. */
export async function deleteProducts(catalogue: WriteCatalogue, storeUuid: string, productCodes: readonly string[]) {
  const codes = [...new Set(productCodes)]
  const products = codes.filter(isStorable)
  const uuid = await lockStore(catalogue, storeUuid, { products })
  const { rows } = await sql<{ product_code: string }>`
    delete from product where store_uuid = ${storeKey(uuid)} and product_code = any(${products}::text[])
    returning product_code`.execute(catalogue.db)
  const deleted = new Set(rows.map((row) => row.product_code))
  return {
    storeUuid: uuid,
    deletedSkus: codes.filter((code) => deleted.has(code)),
    unavailableSkus: codes.filter((code) => !deleted.has(code)),
  }
}
