import { sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import type { Catalogue } from '../../catalogue.ts'
import { containing, isBare } from '../../conditions.ts'
import { isCaughtUp, totalProducts } from '../../projections/queue.ts'
import { totalOf } from '../product-totals.ts'
import { valuesOf } from '../query/compare.ts'
import { compile } from '../query/compile.ts'
import { versionOf } from '../query/find-known.ts'
import { withKnownCodes } from '../query/known-codes.ts'
import { readSource, type Source, type SourceState, stateOf } from '../query/source.ts'
import type { Facet, FacetQuery } from './facet.ts'
import { type CountedFacets, cachedFacets } from './facet-cache.ts'

/** A facet for each name, in their order, of the products that match. Throws `invalid_request`. */
export function countValues(catalogue: Catalogue, storeUuid: string, query: FacetQuery): Promise<Facet[]> {
  const question = { filter: query.filter, facets: query.names }
  return readSource(catalogue, storeUuid, question, (source) =>
    cachedFacets(source, query, () => readFacets(catalogue, source, query)),
  )
}

async function readFacets(
  catalogue: Catalogue,
  source: Source,
  { names, filter, first, search }: FacetQuery,
): Promise<CountedFacets | undefined> {
  const { where } = compile(source, await withKnownCodes(catalogue, source, filter))
  const products = sql`${sql.table(source.table)} p where ${where}`
  // An index has the values without the products that have none: those are what is left of all.
  const counted = names.map((name, i) => {
    const { text } = valuesOf(source, name)
    return sql`
      select ${i}::integer as nth, ${text} as value, count(*)::integer as products
      from ${products} and ${text} is not null group by 2`
  })
  const total = source.table === 'product' ? totalOf(source.uuid) : totalProducts(source.uuid, 'FILTERS')
  const matching = isBare(filter)
    ? sql`select ${total} as products`
    : sql`select count(*)::integer as products from ${products}`
  const isShown = search == null ? sql`true` : sql`value collate "default" ilike ${containing(search)}`
  const { rows } = await sql<Facet & SourceState & { version: string | null }>`
    ${customPlan} with counted as materialized (${sql.join(counted, sql` union all `)}), matching as materialized (
      ${matching}
    )
    select n.name, count(c.value)::int as distinct, ${stateOf(source)},
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
