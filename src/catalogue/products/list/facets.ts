import { type RawBuilder, sql } from 'kysely'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { containing, isBare } from '../../conditions.ts'
import { valueColumn } from '../../values/value-columns.ts'
import { totalOf } from '../product-totals.ts'
import { countedCharacters } from './count-values.ts'
import { selectionOf } from './list-products.ts'
import { storedValue } from './matching-products.ts'
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

/** A facet for each name, in their order, of the products that match. */
export async function countValues(catalogue: Catalogue, storeUuid: string, query: FacetQuery): Promise<Facet[]> {
  const { names, filter, first, search } = query
  const named = names.map((name, i) => ({ name, field: `names[${i}]` }))
  const { source, ofStore, types } = await selectionOf(catalogue, storeUuid, filter, undefined, named)
  const uuid = visibleStore(catalogue, storeUuid)
  const counted = names.map((name, i) => {
    const { slot, isCounted } = types.get(name) ?? {}
    return slot && isCounted && isBare(filter)
      ? countsOf(i, uuid, slot)
      : countedOf(i, slot ? valueColumn(slot) : storedValue(name), sql`${source} where ${ofStore}`)
  })
  const searched = search == null ? sql`true` : sql`value collate "default" ilike ${containing(search)}`
  const { rows } = await sql<Facet>`
    /* any filter */ with counted as materialized (${sql.join(counted, sql` union all `)})
    select n.name, count(c.value)::int as distinct, now() as "asOf",
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
  return rows
}

/** The values of products, counted: they are cut after that, which takes less. */
function countedOf(nth: number, value: RawBuilder<string | null>, products: RawBuilder<unknown>) {
  return sql`
      select ${nth}::integer as nth, left(value, ${countedCharacters}::integer) as value, sum(products)::integer as products
      from (select ${value} as value, count(*) as products from ${products} group by 1) counted
      group by 2`
}

/** The counts of the values of a slot, and of the products without a value. */
function countsOf(nth: number, uuid: string | null, slot: number) {
  return sql`
      select ${nth}::integer as nth, value collate "C" as value, products from value_counts(${uuid}, ${slot})
      union all
      select ${nth}, null, ${totalOf(uuid)} - coalesce(sum(products), 0)::integer from value_counts(${uuid}, ${slot})`
}
