import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { customPlan } from '../../../database/connection/session.ts'
import type { Catalogue } from '../../catalogue.ts'
import { containing, isBare } from '../../conditions.ts'
import { isCaughtUp, productTotalAsOf } from '../../projections/as-of.ts'
import { productTotal } from '../find-products.ts'
import { compileNarrowed } from '../query/narrow.ts'
import { attributesOf, filtersWithin, type ProductFilter } from '../query/product-filter.ts'
import { readSource, type Source, type SourceState, selectedState, usedFields } from '../query/source.ts'
import { versionOf } from '../query/store-facts.ts'
import { valuesOf } from '../query/values.ts'

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

/** Facets with the version of the rows that they were counted from; null if changes are still to be applied. */
interface VersionedFacets {
  facets: Facet[]
  version: string | null
}

/** UTF-16 code units of facets: 32 MiB, and 2 MiB. */
const [maxUnits, maxUnitsOfOne] = [16 * 1024 * 1024, 1024 * 1024]

const cache = new LRUCache<string, Facet[]>({
  maxSize: maxUnits,
  maxEntrySize: maxUnitsOfOne,
  sizeCalculation: (facets, key) => key.length + JSON.stringify(facets).length,
})

/**
 * A facet for each name, in their order, of the products that match. Those of `product_index` alone are kept until its
 * rows change. Throws `invalid_request`.
 */
export function countFacets(catalogue: Catalogue, storeUuid: string, query: FacetQuery): Promise<Facet[]> {
  const question = { filter: query.filter, facets: query.names }
  const fields = filtersWithin(query.filter).flatMap(({ filter }) => usedFields(filter))
  return readSource(catalogue, storeUuid, question, async (source) => {
    const { uuid, index, attributeOf } = source
    const isKept = index && fields.every(({ isOfIndex }) => isOfIndex)
    if (!isKept) return (await readFacets(catalogue, source, query))?.facets
    const names = [...query.names, ...attributesOf(query.filter).map(({ filter: { name } }) => name)]
    const asked = JSON.stringify([uuid, query, names.map(attributeOf)])
    const found = cache.get(index.version + asked)
    if (found) return found.map((facet) => ({ ...facet, asOf: index.asOf }))
    const counted = await readFacets(catalogue, source, query)
    // What another replica had can be of another version.
    if (counted?.version) cache.set(counted.version + asked, counted.facets)
    return counted?.facets
  })
}

async function readFacets(
  catalogue: Catalogue,
  source: Source,
  { names, filter, first, search }: FacetQuery,
): Promise<VersionedFacets | undefined> {
  const { where } = await compileNarrowed(catalogue, source, filter)
  const products = sql`${sql.table(source.table)} p where ${where}`
  // An index has the values without the products that have none: those are what is left of all.
  const counted = names.map((name, i) => {
    const { text } = valuesOf(source, name)
    return sql`
      select ${i}::integer as nth, ${text} as value, count(*)::integer as products
      from ${products} and ${text} is not null group by 2`
  })
  const total = source.table === 'product' ? productTotal(source.uuid) : productTotalAsOf(source.uuid, 'FILTERS')
  const matching = isBare(filter)
    ? sql`select ${total} as products`
    : sql`select count(*)::integer as products from ${products}`
  const isShown = search == null ? sql`true` : sql`value collate "default" ilike ${containing(search)}`
  const { rows } = await sql<Facet & SourceState & { version: string | null }>`
    ${customPlan} with counted as materialized (${sql.join(counted, sql` union all `)}), matching as materialized (
      ${matching}
    )
    select n.name, count(c.value)::int as distinct, ${selectedState(source)},
      case when ${isCaughtUp(source.uuid, 'FILTERS')} then ${versionOf(source.uuid)} end as version,
      greatest(m.products - coalesce(sum(c.products), 0)::int, 0) as missing, coalesce((
        select json_agg(json_build_object('value', value, 'count', products)) from (
          select value, products from counted where nth = n.at - 1 and ${isShown}
          order by products desc, value collate "C"
          limit ${first}
        ) most
      ), '[]') as values
    from unnest(${[...names]}::text[]) with ordinality as n(name, at) cross join matching m
      left join counted c on c.nth = n.at - 1
    group by n.name, n.at, m.products
    order by n.at`.execute(catalogue.db)
  if (!rows.every(({ isCurrent }) => isCurrent)) return undefined
  return {
    facets: rows.map(({ isCurrent: _, version: __, ...facet }) => facet),
    version: rows[0]?.version ?? null,
  }
}
