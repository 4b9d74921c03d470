import type { ProjectionName } from '../../projections/projection.ts'
import { attributesOf, filtersWithin, type ProductFilter } from './product-filter.ts'
import type { ProductOrder } from './product-order.ts'

/** What is asked of products. `facets`: names of attributes. */
export interface Question {
  filter: ProductFilter
  order?: ProductOrder | undefined
  facets?: readonly string[]
  /** Whether only named attributes make it read `product_index`. */
  isExact?: boolean
}

/** The projections that may answer a question. Codes, and what other tables have, are read by the key of `product`. */
export function projectionsOf(question: Question): ProjectionName[] {
  const { filter, order, isExact = false } = question
  const filters = filtersWithin(filter).map((one) => one.filter)
  const has = (...fields: (keyof ProductFilter)[]) => filters.some((one) => fields.some((field) => one[field] != null))
  const isByOwn = has('status', 'createdAt', 'updatedAt') || (order?.field ?? 'code') !== 'code'
  const isOfColumns = namesOf(question).length > 0 || (isByOwn && !isExact)
  const uses: [ProjectionName, boolean][] = [
    ['FILTERS', filter.codes == null && isOfColumns],
    ['SEARCH', has('search')],
    ['READINESS', has('blockedOn', 'readyOn')],
  ]
  return uses.flatMap(([name, isUsed]) => (isUsed ? [name] : []))
}

/** The attributes that a question names, and where. */
export function namesOf({ filter, order, facets = [] }: Question): { name: string; field: string }[] {
  return [
    ...attributesOf(filter).map(({ filter: { name }, field }) => ({ name, field: `filter${field}.name` })),
    ...(order?.attribute == null ? [] : [{ name: order.attribute, field: 'orderBy.attribute' }]),
    ...facets.map((name, i) => ({ name, field: `names[${i}]` })),
  ]
}
