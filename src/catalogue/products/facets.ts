import { type RawBuilder, sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import { containing, isBare } from '../conditions.ts'
import { keyColumn, restColumn } from '../values/value-columns.ts'
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
  const slots = names.map((name) => types.get(name)?.slot)
  const counted =
    isBare(filter) && slots.every((slot) => slot != null)
      ? sql`materialized (${countsOf(visibleStore(catalogue, storeUuid), slots)})`
      : sql`materialized (${sql.join(
          names.map((name, i) => countedOf(i, name, slots[i], sql`${source} where ${ofStore}`)),
          sql` union all `,
        )})`
  const searched = search == null ? sql`true` : sql`value collate "default" ilike ${containing(search)}`
  const { rows } = await sql<Facet>`
    /* any filter */ with counted as ${counted}
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

/** The values of an attribute of products: those of a slot are cut after they are counted, which takes less. */
function countedOf(nth: number, name: string, slot: number | null | undefined, products: RawBuilder<unknown>) {
  const [key, rest] = slot ? [keyColumn(slot), restColumn(slot)] : [storedValue(name), sql`null::text`]
  return sql`
      select ${nth}::integer as nth, left(coalesce(rest, key), ${countedCharacters}::integer) as value,
        sum(products)::integer as products
      from (select ${key} as key, ${rest} as rest, count(*) as products from ${products} group by 1, 2) counted
      group by 2`
}

/** The counts of the values in slots, and of the products without a value. */
function countsOf(uuid: string | null, slots: readonly (number | null | undefined)[]) {
  return sql`
      with listed as materialized (
        select s.nth::int - 1 as nth, c.value collate "C" as value, c.products
        from unnest(${slots}::integer[]) with ordinality as s(slot, nth) left join value_counts(${uuid}, s.slot) c on true
      )
      select nth, value, products from listed where value is not null
      union all
      select nth, null, coalesce((
          select products from value_count where store_uuid = ${uuid} and slot = 0 and value = ''
        ), 0) - coalesce(sum(products), 0)::integer
      from listed group by nth`
}
