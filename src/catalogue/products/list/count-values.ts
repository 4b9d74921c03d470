import { sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { hasAtMost } from '../../../text.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { isBare } from '../../conditions.ts'
import { countedCharacters } from '../../values/value-columns.ts'
import { totalOf } from '../product-totals.ts'
import type { AttributeTypes } from './attribute-types.ts'
import { ofUnindexed } from './matching-products.ts'
import type { ProductFilter } from './product-filter.ts'

/**
 * How many products match a filter that only has conditions on one indexed attribute, by the counts of its values.
 * Undefined for other filters, for an attribute of very many values, and where a value is so long that its count is
 * also that of others.
 */
export async function countByValues(
  catalogue: Catalogue,
  storeUuid: string,
  { attributes, ...others }: ProductFilter,
  types: AttributeTypes,
): Promise<number | undefined> {
  const [filter, ...further] = attributes ?? []
  const known = types.get(filter?.name ?? '')
  if (!filter || further.length > 0 || !known?.slot || !known.isCounted || !isBare(others)) return undefined
  const uuid = visibleStore(catalogue, storeUuid)
  const { exists, name: _, eq, in: list, ...ranges } = filter
  if (exists === false) {
    if (eq != null || list != null || !isBare(ranges)) return undefined
    const { rows } = await sql<{ count: number }>`
      ${customPlan} select ${totalOf(uuid)} - coalesce(sum(products), 0)::int as count
      from value_count where store_uuid = ${uuid} and slot = ${known.slot}`.execute(catalogue.db)
    return rows[0]?.count
  }
  const texts = [...(list ?? []), ...(eq == null ? [] : [eq])]
  // Where a value is given, it is found by the key.
  const isGiven = texts.length > 0 && isBare(ranges)
  const { rows } = await sql<{ count: number; isCut: boolean }>`
    ${customPlan} select coalesce(sum(products) filter (where ${ofUnindexed(filter, known, sql`value`)}), 0)::int as count,
      coalesce(bool_or(length(value) >= ${countedCharacters}::integer), false) as "isCut"
    from value_count
    where store_uuid = ${uuid} and slot = ${known.slot} and ${isGiven ? sql`value = any(${texts}::text[])` : sql`products > 0`}`.execute(
    catalogue.db,
  )
  const isCut = isGiven ? texts.some((text) => !hasAtMost(text, countedCharacters - 1)) : rows[0]?.isCut
  return isCut ? undefined : rows[0]?.count
}
