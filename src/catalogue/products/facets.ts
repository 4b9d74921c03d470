import { sql } from 'kysely'
import type { Catalogue } from '../catalogue.ts'
import { containing } from '../conditions.ts'
import { selectionOf } from './list-products.ts'
import type { ProductFilter } from './product-filter.ts'

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

/** Longer values are counted by their beginning. */
const countedCharacters = 255

/** A facet for each name, in their order, of the products that match. */
export async function countValues(catalogue: Catalogue, storeUuid: string, query: FacetQuery): Promise<Facet[]> {
  const { names, filter, first, search } = query
  const named = names.map((name, i) => ({ name, field: `names[${i}]` }))
  const { ofStore } = await selectionOf(catalogue, storeUuid, filter, undefined, named)
  const searched = search == null ? sql`true` : sql`value ilike ${containing(search)}`
  const { rows } = await sql<Facet>`
    /* any filter */ with counted as materialized (
      select n.nth, left(p.attributes ->> n.name, ${countedCharacters}) as value, count(*)::int as products
      from product p cross join unnest(${[...names]}::text[]) with ordinality as n(name, nth)
      where ${ofStore}
      group by 1, 2
    )
    select n.name, count(c.value)::int as distinct, now() as "asOf",
      coalesce(sum(c.products) filter (where c.value is null), 0)::int as missing, coalesce((
        select json_agg(json_build_object('value', value, 'count', products)) from (
          select value, products from counted where nth = n.nth and value is not null and ${searched}
          order by products desc, value collate "C"
          limit ${first}
        ) most
      ), '[]') as values
    from unnest(${[...names]}::text[]) with ordinality as n(name, nth) left join counted c on c.nth = n.nth
    group by n.name, n.nth
    order by n.nth`.execute(catalogue.db)
  return rows
}
