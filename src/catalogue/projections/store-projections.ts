import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import { productTotal } from '../products/find-products.ts'
import { projectionTime } from './as-of.ts'
import type { ProjectionName } from './projection.ts'
import { projections } from './projections.ts'

/** How far a projection of a store is. */
export interface StoreProjection {
  name: ProjectionName
  /** Null before the first build. */
  asOf: Date | null
  isBuilding: boolean
  /** How many of the products are built. */
  done: number
  of: number
}

/** The projections that settings of a store require. */
export async function findStoreProjections(catalogue: Catalogue, storeUuid: string): Promise<StoreProjection[]> {
  const uuid = visibleStore(catalogue, storeUuid)
  const found: StoreProjection[] = []
  for (const { name, progress } of projections) {
    const state = uuid === null ? undefined : await progress(catalogue, uuid)
    if (!state) continue
    const { rows } = await sql<{ asOf: Date; of: number }>`
      select ${projectionTime(uuid, name)} as "asOf", ${productTotal(uuid)} as of`.execute(catalogue.db)
    const { asOf, of } = onlyRow(rows)
    const { isBuilt, isBuilding, done } = state
    found.push({ name, asOf: isBuilt ? asOf : null, isBuilding, done: isBuilding ? Math.min(done, of) : of, of })
  }
  return found
}
