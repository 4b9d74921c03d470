import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { attributesOf, filtersWithin } from '../query/product-filter.ts'
import type { Source } from '../query/source.ts'
import type { Facet, FacetQuery } from './facet.ts'

/** Facets with the version of the rows that they were counted from; null if changes are still to be applied. */
export interface CountedFacets {
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
 * The facets of a query, counted only if the rows of `product_index` have changed since they were counted before. A
 * filter must be about these rows alone.
 */
export async function cachedFacets(
  source: Source,
  query: FacetQuery,
  count: () => Promise<CountedFacets | undefined>,
): Promise<Facet[] | undefined> {
  const { rows } = source
  if (!rows || !filtersWithin(query.filter).every(({ filter }) => isOfRows(filter))) return (await count())?.facets
  const names = [...query.names, ...attributesOf(query.filter).map(({ filter: { name } }) => name)]
  const asked = JSON.stringify([source.uuid, query, names.map((name) => source.attributeOf(name))])
  const keyOf = (version: string) => version + hash('sha256', asked)
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
