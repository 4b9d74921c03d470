import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { CatalogueError } from '../../errors.ts'
import { isStorable } from '../../text.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { recorded } from '../changes/record-changes.ts'
import { lockStore } from '../locks.ts'
import { totalled } from './product-totals.ts'

/**
 * Deletes products; their asset groups stay, as a parent code need not be a product. `expected`: the fingerprint of the
 * products, from a dry run. Throws `store_not_found`, `plan_outdated`.
 */
export async function deleteProducts(
  catalogue: WriteCatalogue,
  storeUuid: string,
  productCodes: readonly string[],
  expected?: string | null,
) {
  const codes = [...new Set(productCodes)]
  const products = codes.filter(isStorable)
  const uuid = await lockStore(catalogue, storeUuid, { products })
  const { rows } = await sql<{ product_code: string; state: string }>`
    with deleted as (
      delete from product where store_uuid = ${uuid} and product_code = any(${products}::text[])
      returning product_code, status, attributes, created_at, updated_at
    ), ${totalled(uuid, sql`select status, -1 as delta from deleted`)}, ${recorded(catalogue, uuid, deletedProducts)}
    select product_code, concat_ws(' ', updated_at, status, jsonb_hash_extended(attributes, 0)) as state
    from deleted`.execute(catalogue.db)
  const fingerprint = fingerprintOf(rows)
  if (expected != null && expected !== fingerprint) {
    const details = 'fingerprint must be that of the products as they are: they have changed since the dry run'
    throw new CatalogueError('plan_outdated', [{ field: 'fingerprint', details }])
  }
  const deleted = new Set(rows.map((row) => row.product_code))
  return {
    storeUuid: uuid,
    deletedSkus: codes.filter((code) => deleted.has(code)),
    unavailableSkus: codes.filter((code) => !deleted.has(code)),
    fingerprint,
  }
}

/** A hash of the codes and the states of products: two changes can have one time, when one waited for the other. */
function fingerprintOf(products: readonly { product_code: string; state: string }[]): string {
  const states = products.map(({ product_code, state }) => JSON.stringify([product_code, state]))
  return hash('sha256', states.toSorted().join('\n'), 'base64url')
}

const deletedProducts = sql`
  select 'product' as kind, 'deleted' as action, product_code as code, null::text as key, json_build_object(
    'status', status, 'attributes', attributes, 'createdAt', created_at, 'updatedAt', updated_at)::text as was
  from deleted`
