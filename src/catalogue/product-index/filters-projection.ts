import { rowsProjection } from '../projections/rows-projection.ts'
import { apply } from './product-index.ts'
import { assignSlots } from './slots.ts'

/** The values of filterable attributes, for filters, orders and facets. */
export const filtersProjection = rowsProjection({
  name: 'FILTERS',
  table: 'product_index',
  state: 'product_index_slot',
  use: 'filterable',
  assign: assignSlots,
  apply,
})
