import type { ProjectionName } from '../../projections/projection.ts'
import { attributesOf, type ProductFilter, partsOf } from './product-filter.ts'
import type { ProductOrder } from './product-order.ts'

/** What is asked of products. `facets`: names of attributes. */
export interface Question {
  filter: ProductFilter
  order?: ProductOrder | undefined
  facets?: readonly string[]
  /** Whether only named attributes make it read `product_index`. */
  isExact?: boolean
}

/**
 * `needsColumns`: whether a question is about more than codes and what other tables have: those are read by the key of
 * `product`. `isSearch`: whether it has a search. `isRead`: whether anything is to be known before the statement that
 * answers it.
 */
export function needsOf({ filter, order, facets = [], isExact = false }: Question) {
  const parts = partsOf(filter).map((part) => part.filter)
  const names = attributesOf(filter).length > 0 || order?.attribute != null || facets.length > 0
  const hasOwn = parts.some(({ status, createdAt, updatedAt }) => (status ?? createdAt ?? updatedAt) != null)
  const isByOwn = hasOwn || (order?.field ?? 'code') !== 'code'
  const isSearch = parts.some(({ search }) => search != null)
  const isElsewhere = isSearch || projectionsOf(filter).length > 0
  const hasCodes = filter.codes != null
  const needsColumns = !hasCodes && (names || (isByOwn && !isExact))
  return { needsColumns, isSearch, isRead: names || needsColumns || isElsewhere }
}

/** The projections that a question always reads. */
export function projectionsOf(filter: ProductFilter): ProjectionName[] {
  return partsOf(filter).some((part) => (part.filter.blockedOn ?? part.filter.readyOn) != null) ? ['READINESS'] : []
}

export function namesOf({ filter, order, facets = [] }: Question): { name: string; field: string }[] {
  return [
    ...attributesOf(filter).map(({ filter: { name }, field }) => ({ name, field: `filter${field}.name` })),
    ...(order?.attribute == null ? [] : [{ name: order.attribute, field: 'orderBy.attribute' }]),
    ...facets.map((name, i) => ({ name, field: `names[${i}]` })),
  ]
}
