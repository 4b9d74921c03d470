import { LRUCache } from 'lru-cache'
import { attributesOf, partsOf } from '../query/product-filter.ts'
import type { Source } from '../query/source.ts'
import type { Facet, FacetQuery } from './facet.ts'

/** Facets with the version of the rows that they were counted from. */
export interface CountedFacets {
  facets: Facet[]
  version: string | null
}

/** UTF-16 code units of keys and facets: 32 MiB. */
const maxUnits = 16 * 1024 * 1024

const cache = new LRUCache<string, Facet[]>({
  maxSize: maxUnits,
  sizeCalculation: (facets, key) => key.length + JSON.stringify(facets).length,
})

/**
 * The facets of a query, counted only if the rows of `product_index` have changed since they were counted before. A
 * filter must be about these rows alone.
 */
export async function cachedFacets(
  source: Source,
  query: FacetQuery,
  count: () => Promise<CountedFacets | undefined>,
): Promise<Facet[] | undefined> {
  const { rows } = source
  if (!rows || !partsOf(query.filter).every(({ filter }) => isOfRows(filter))) return (await count())?.facets
  const names = [...query.names, ...attributesOf(query.filter).map(({ filter: { name } }) => name)]
  const keyOf = (version: string) =>
    JSON.stringify([source.uuid, version, query, names.map((name) => source.attributeOf(name))])
  const found = cache.get(keyOf(rows.version))
  if (found) return found.map((facet) => ({ ...facet, asOf: rows.asOf }))
  const counted = await count()
  // What another replica had can be of another version.
  if (counted?.version) cache.set(keyOf(counted.version), counted.facets)
  return counted?.facets
}

type Filter = FacetQuery['filter']

function isOfRows({ search, updatedAt, hasAssets, missingAssets, blockedOn, readyOn }: Filter): boolean {
  return (search ?? updatedAt ?? hasAssets ?? missingAssets ?? blockedOn ?? readyOn) == null
}
