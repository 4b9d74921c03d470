import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import { CatalogueError } from '../../errors.ts'
import { isStorable, shown } from '../../text.ts'
import { boundedFailures, type ItemFailure } from '../bounded-failures.ts'
import { jsonOfOrigin, type WriteCatalogue } from '../catalogue.ts'
import { lockStore } from '../locks.ts'

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
  const { fingerprint, ...written } = await deleteLocked(catalogue, uuid, products)
  if (expected != null && expected !== fingerprint) {
    const details =
      'fingerprint must be that of the current products: they have changed since the dry run, so repeat it'
    throw new CatalogueError('plan_outdated', [{ field: 'fingerprint', details }])
  }
  const deleted = new Set(written.deleted)
  const unavailableSkus = codes.filter((code) => !deleted.has(code))
  const indexes = new Map(productCodes.map((code, index) => [code, index] as const).reverse())
  return {
    storeUuid: uuid,
    deletedSkus: codes.filter((code) => deleted.has(code)),
    unavailableSkus,
    fingerprint,
    ...boundedFailures(unavailableSkus.map((code) => notFound(code, indexes.get(code) ?? 0))),
  }
}

function notFound(code: string, index: number): ItemFailure {
  return { reason: 'product_not_found', details: `the store has no product ${shown(code)}`, index, productCode: code }
}

/** Deletes products whose locks the caller holds, and returns the codes of those that existed. */
export async function deleteLocked(catalogue: WriteCatalogue, storeUuid: string, codes: readonly string[]) {
  const { rows } = await sql<{ deleted: string[]; fingerprint: string }>`
    select array_to_json(deleted) as deleted, fingerprint
    from delete_products(${storeUuid}::uuid, ${[...codes]}::text[], ${jsonOfOrigin(catalogue)}::jsonb)`.execute(
    catalogue.db,
  )
  return onlyRow(rows)
}
