import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import { invalidRequest } from '../../../errors.ts'
import { shown } from '../../../text.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { containing, isBare } from '../../conditions.ts'
import { countedCharacters, maxCounted } from '../../values/value-keys.ts'
import { totalOf } from '../product-totals.ts'
import { type AttributeIndexes, maxRead } from './indexes/attribute-indexes.ts'
import { storedValue } from './matching-products.ts'
import type { ProductFilter } from './product-filter.ts'
import { selectionOf } from './selection.ts'

/** The values of an attribute among products, the most frequent ones first, and how many products have none. */
export interface Facet {
  name: string
  distinct: number
  missing: number
  values: { value: string; count: number }[]
  asOf: Date
}

export interface FacetQuery {
  names: readonly string[]
  filter: ProductFilter
  first: number
  search?: string | null | undefined
}

/**
 * A facet for each name, in their order, of the products that match. Throws `invalid_request` for an attribute that has
 * too many different values, unless few products match.
 */
export async function countValues(catalogue: Catalogue, storeUuid: string, query: FacetQuery): Promise<Facet[]> {
  const { names, filter, first, search } = query
  const named = names.map((name, i) => ({ name, field: `names[${i}]` }))
  const { source, where, indexes } = await selectionOf(catalogue, storeUuid, filter, undefined, named)
  const uuid = visibleStore(catalogue, storeUuid)
  const counted = names.map((name, i) => {
    const { slot } = indexes.get(name) ?? {}
    if (slot && hasCounts(indexes, name) && isBare(filter)) return countsOf(i, uuid, slot)
    // Of different values there may be as many as products: one more than may be read tells that there are too many.
    const limit = hasCounts(indexes, name) ? sql`` : sql`limit ${maxRead + 1}::integer`
    return countedOf(i, storedValue(name), sql`${source} where ${where} ${limit}`)
  })
  const searched = search == null ? sql`true` : sql`value collate "default" ilike ${containing(search)}`
  const { rows } = await sql<Facet & { products: number }>`
    ${customPlan} with counted as materialized (${sql.join(counted, sql` union all `)})
    select n.name, count(c.value)::int as distinct, now() as "asOf", coalesce(sum(c.products), 0)::int as products,
      coalesce(sum(c.products) filter (where c.value is null), 0)::int as missing, coalesce((
        select json_agg(json_build_object('value', value, 'count', products)) from (
          select value, products from counted where nth = n.at - 1 and value is not null and ${searched}
          order by products desc, value collate "C"
          limit ${first}
        ) most
      ), '[]') as values
    from unnest(${[...names]}::text[]) with ordinality as n(name, at) left join counted c on c.nth = n.at - 1
    group by n.name, n.at
    order by n.at`.execute(catalogue.db)
  requireFew(rows, indexes)
  return rows.map(({ products: _, ...facet }) => facet)
}

/** Whether there are counts of an attribute's values: then they are few enough to be counted of any products. */
function hasCounts(indexes: AttributeIndexes, name: string): boolean {
  const { slot, isCounted } = indexes.get(name) ?? {}
  return slot != null && isCounted === true
}

function requireFew(facets: readonly { name: string; products: number }[], indexes: AttributeIndexes): void {
  const faults = facets.flatMap(({ name, products }, i) => {
    if (hasCounts(indexes, name) || products <= maxRead) return []
    const field = `names[${i}]`
    const details = `${field} must be an attribute of at most ${maxCounted} different values, or filter must match at most ${maxRead} products; got ${shown(name)}, whose values are not counted, and more products match`
    return [{ field, details }]
  })
  if (faults.length > 0) throw invalidRequest(faults)
}

/** The values of products, counted: they are cut after that, which takes less. */
function countedOf(nth: number, value: RawBuilder<string | null>, products: RawBuilder<unknown>) {
  return sql`
      select ${nth}::integer as nth, left(value, ${countedCharacters}::integer) as value, sum(products)::integer as products
      from (
        select value, count(*) as products from (select ${value} as value from ${products}) read group by value
      ) counted
      group by 2`
}

/** The counts of the values of a slot, and of the products without a value. */
function countsOf(nth: number, uuid: string | null, slot: number) {
  const counts = sql`value_count where store_uuid = ${uuid} and slot = ${slot} and products > 0`
  return sql`
      select ${nth}::integer as nth, value, products from ${counts}
      union all
      select ${nth}, null, ${totalOf(uuid)} - coalesce(sum(products), 0)::integer from ${counts}`
}
