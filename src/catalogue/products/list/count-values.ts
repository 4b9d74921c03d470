import { sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { hasAtMost } from '../../../text.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { isBare } from '../../conditions.ts'
import { countedCharacters } from '../../values/value-keys.ts'
import { totalOf } from '../product-totals.ts'
import { findAttributeIndexes, requireBounds } from './attribute-indexes.ts'
import { valueCondition } from './matching-products.ts'
import type { ProductFilter } from './product-filter.ts'

/**
 * The number of products that match a filter with conditions on one indexed attribute only, by the counts of its
 * values. Undefined for other filters, for an attribute whose values are not counted, and for values that are cut.
 */
export async function countByValues(
  catalogue: Catalogue,
  storeUuid: string,
  { attributes, ...others }: ProductFilter,
): Promise<number | undefined> {
  const [filter, ...further] = attributes ?? []
  if (!filter || further.length > 0 || !isBare(others)) return undefined
  const field = '.attributes[0]'
  const named = [{ name: filter.name, field: `filter${field}.name` }]
  const indexes = await findAttributeIndexes(catalogue, storeUuid, named)
  requireBounds([{ filter, field }], indexes)
  const index = indexes.get(filter.name)
  if (!index?.slot || !index.isCounted) return undefined
  const uuid = visibleStore(catalogue, storeUuid)
  const { exists, name: _, eq, in: list, ...ranges } = filter
  if (exists === false) {
    if (eq != null || list != null || !isBare(ranges)) return undefined
    const { rows } = await sql<{ count: number }>`
      ${customPlan} select ${totalOf(uuid)} - coalesce(sum(products), 0)::int as count
      from value_count where store_uuid = ${uuid} and slot = ${index.slot}`.execute(catalogue.db)
    return rows[0]?.count
  }
  const texts = [...(list ?? []), ...(eq == null ? [] : [eq])]
  // Where a value is given, it is found by the key.
  const isGiven = texts.length > 0 && isBare(ranges)
  const { rows } = await sql<{ count: number; isCut: boolean }>`
    ${customPlan} select coalesce(sum(products) filter (where ${valueCondition(filter, index, sql`value`)}), 0)::int as count,
      coalesce(bool_or(length(value) >= ${countedCharacters}::integer), false) as "isCut"
    from value_count
    where store_uuid = ${uuid} and slot = ${index.slot} and ${isGiven ? sql`value = any(${texts}::text[])` : sql`products > 0`}`.execute(
    catalogue.db,
  )
  const isCut = isGiven ? texts.some((text) => !hasAtMost(text, countedCharacters - 1)) : rows[0]?.isCut
  return isCut ? undefined : rows[0]?.count
}
