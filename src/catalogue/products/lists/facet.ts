import type { ProductFilter } from '../query/product-filter.ts'

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
