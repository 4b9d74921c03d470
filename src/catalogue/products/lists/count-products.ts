import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { onlyRow } from '../../../database/only-row.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { isBare } from '../../conditions.ts'
import { databaseTime } from '../../projections/as-of.ts'
import { productTotal } from '../find-products.ts'
import type { Compiled } from '../query/compile.ts'
import { compileNarrowed } from '../query/narrow.ts'
import type { ProductFilter } from '../query/product-filter.ts'
import { readSource, type Source, type SourceState, selectedState } from '../query/source.ts'

/** A number of products, and the time of which it is: of later changes, some may be in it. */
export interface ProductCount {
  count: number
  asOf: Date
}

/** The number of products that match. Throws `invalid_request` for attributes that cannot be used. */
export async function countProducts(
  catalogue: Catalogue,
  storeUuid: string,
  filter: ProductFilter,
): Promise<ProductCount> {
  const { status, ...others } = filter
  if (isBare(others)) {
    const total = productTotal(visibleStore(catalogue, storeUuid), status)
    return onlyRow(
      (await sql<ProductCount>`select ${total} as count, ${databaseTime} as "asOf"`.execute(catalogue.db)).rows,
    )
  }
  return readSource(catalogue, storeUuid, { filter }, async (source) => {
    const compiled = await compileNarrowed(catalogue, source, filter)
    const { rows } = await sql<ProductCount & SourceState>`
      ${customPlan} select ${countOf(source, filter, compiled)} as count, ${selectedState(source)}`.execute(
      catalogue.db,
    )
    const { count, asOf, isCurrent } = onlyRow(rows)
    return isCurrent ? { count, asOf } : undefined
  })
}

/** The number of products that match: from the totals for a filter by status alone. */
export function countOf(
  { table, uuid }: Source,
  { status, ...others }: ProductFilter,
  { where }: Compiled,
): RawBuilder<number> {
  if (isBare(others)) return productTotal(uuid, status)
  return sql<number>`(select count(*)::int from ${sql.table(table)} p where ${where})`
}
