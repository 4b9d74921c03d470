import { readinessProjection } from '../readiness/readiness-projection.ts'
import { filtersProjection } from './filters-projection.ts'
import type { Projection } from './projection.ts'
import { searchProjection } from './search-projection.ts'

/** All projections, in the order in which they are kept. */
export const projections: readonly Projection[] = [filtersProjection, searchProjection, readinessProjection]
