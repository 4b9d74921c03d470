import { sql } from 'kysely'
import { isStorable } from '../../text.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { recorded } from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'
import { refreshValues } from '../values/refresh-values.ts'
import { totalled } from './product-totals.ts'

/** Deletes products; their asset groups stay, as a parent code need not be a product. Throws `store_not_found`. */
export async function deleteProducts(catalogue: WriteCatalogue, storeUuid: string, productCodes: readonly string[]) {
  const codes = [...new Set(productCodes)]
  const products = codes.filter(isStorable)
  const uuid = await lockStore(catalogue, storeUuid, { products })
  const { rows } = await sql<{ product_code: string }>`
    with deleted as (
      delete from product where store_uuid = ${uuid} and product_code = any(${products}::text[])
      returning product_code, status, attributes, created_at, updated_at
    ), ${totalled(uuid, sql`select status, -1 as delta from deleted`)}, ${recorded(catalogue, uuid, deletedProducts)}
    select product_code from deleted`.execute(catalogue.db)
  const deleted = new Set(rows.map((row) => row.product_code))
  await refreshValues(catalogue, uuid, [...deleted])
  return {
    storeUuid: uuid,
    deletedSkus: codes.filter((code) => deleted.has(code)),
    unavailableSkus: codes.filter((code) => !deleted.has(code)),
  }
}

const deletedProducts = sql`
  select 'product' as kind, 'deleted' as action, product_code as code, null::text as key, json_build_object(
    'status', status, 'attributes', attributes, 'createdAt', created_at, 'updatedAt', updated_at)::text as was
  from deleted`
