import { filtersProjection } from '../product-index/filters-projection.ts'
import { searchProjection } from '../product-text/search-projection.ts'
import { readinessProjection } from '../readiness/readiness-projection.ts'
import type { Projection } from './projection.ts'

/** All projections, in the order in which they are kept. */
export const projections: readonly Projection[] = [filtersProjection, searchProjection, readinessProjection]
