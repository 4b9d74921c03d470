import type { ProjectionName } from '../../projections/projection.ts'
import type { ProductFilter } from './product-filter.ts'

/** What is true of the conditions of a field, whatever their values. */
export interface FilterField {
  /** The projection that may answer them. */
  projection: ProjectionName | null
  /** What they read by the index of codes, the only one that every store has; undefined: perhaps all products. */
  reads?: 'codes' | 'range'
  /** Whether the same plan is good for all of their values. */
  hasOnePlan?: true
  /** Whether they are about nothing but the rows of `product_index` as of their version. */
  isOfIndex?: true
}

/** What each field of a filter means for the plan of a question. */
export const filterFields: Record<keyof ProductFilter, FilterField> = {
  status: { projection: 'FILTERS', hasOnePlan: true, isOfIndex: true },
  codePrefix: { projection: null, reads: 'range', hasOnePlan: true, isOfIndex: true },
  codes: { projection: null, reads: 'codes', hasOnePlan: true, isOfIndex: true },
  search: { projection: 'SEARCH', hasOnePlan: true },
  attributes: { projection: 'FILTERS', isOfIndex: true },
  createdAt: { projection: 'FILTERS', isOfIndex: true },
  updatedAt: { projection: 'FILTERS' },
  hasAssets: { projection: null },
  missingAssets: { projection: null },
  blockedOn: { projection: 'READINESS' },
  readyOn: { projection: 'READINESS' },
  and: { projection: null, isOfIndex: true },
  or: { projection: null, isOfIndex: true },
  not: { projection: null, isOfIndex: true },
}
