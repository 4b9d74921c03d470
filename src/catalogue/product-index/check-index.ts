import { sql } from 'kysely'
import type { Catalogue } from '../catalogue.ts'
import { queuedCodes } from '../projections/queue.ts'
import { columnsOf, ownColumns } from './product-index.ts'
import { findSlots, productsOf, valueColumns, valuesOf } from './slots.ts'

/** A row that is not what its product is. */
interface IndexDifference {
  what: 'index'
  code: string
  kept: string | null
  actual: string | null
}

/**
 * Compares the rows of a store with its products in one snapshot, for the attributes that are built, but for products
 * in the queue. At most `limit` differences.
 */
export async function checkIndex(catalogue: Catalogue, storeUuid: string, limit: number): Promise<IndexDifference[]> {
  const built = (await findSlots(catalogue, storeUuid)).filter(({ builtTo }) => builtTo === null)
  if (built.length === 0) return []
  const isBuilt = (slot: number) => built.some((other) => other.slot === slot)
  const kept = valueColumns.map(({ name, slot }) => (isBuilt(slot) ? sql.id('i', name) : sql`null`))
  const { rows } = await sql<IndexDifference>`
    select 'index' as what, code, i.kept, p.actual
    from (
      select i.product_code as code, row(${columnsOf('i', ownColumns)}, ${sql.join(kept)})::text as kept
      from product_index i where i.store_uuid = ${storeUuid}
    ) i full join (
      select p.product_code as code, row(${columnsOf('p', ownColumns)}, ${sql.join(valuesOf(built))})::text as actual
      from ${productsOf(storeUuid)} p
    ) p using (code)
    where i.kept is distinct from p.actual and code not in (${queuedCodes(storeUuid)})
    order by code limit ${limit}`.execute(catalogue.db)
  return rows
}
