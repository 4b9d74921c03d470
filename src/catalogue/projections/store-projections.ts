import { sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import type { ProjectionName } from './projection.ts'
import { projections } from './projections.ts'
import { asOf } from './queue.ts'

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

/** The projections that a store has asked for. */
export async function findStoreProjections(catalogue: Catalogue, storeUuid: string): Promise<StoreProjection[]> {
  const uuid = visibleStore(catalogue, storeUuid)
  const found: StoreProjection[] = []
  for (const { name, progress } of uuid === null ? [] : projections) {
    const { rows } = await sql<{ asOf: Date; of: number }>`
      select ${asOf(uuid, name)} as "asOf",
        (select coalesce(sum(count), 0)::integer from product_total where store_uuid = ${uuid}) as of`.execute(
      catalogue.db,
    )
    const [row] = rows
    const state = uuid === null ? undefined : await progress(catalogue, uuid)
    if (!row || !state) continue
    const { isBuilt, isBuilding, done } = state
    found.push({
      name,
      asOf: isBuilt ? row.asOf : null,
      isBuilding,
      done: isBuilding ? Math.min(done, row.of) : row.of,
      of: row.of,
    })
  }
  return found
}
