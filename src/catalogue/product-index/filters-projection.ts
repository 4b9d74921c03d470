import { sql } from 'kysely'
import type { Projection } from '../projections/projection.ts'
import { buildStep } from './build.ts'
import { apply } from './product-index.ts'
import { findSlots } from './slots.ts'

/** The values of filterable attributes, for filters, orders and facets. */
export const filtersProjection: Projection = {
  name: 'FILTERS',
  build: buildStep,
  async isWanted(catalogue, storeUuid) {
    return (await findSlots(catalogue, storeUuid)).length > 0
  },
  apply,
  async progress(catalogue, storeUuid) {
    const { rows } = await sql`
      select from attribute_definition where store_uuid = ${storeUuid} and filterable limit 1`.execute(catalogue.db)
    if (rows.length === 0) return undefined
    const slots = await findSlots(catalogue, storeUuid)
    const waiting = slots.filter(({ builtTo }) => builtTo !== null)
    return {
      isBuilt: waiting.length < slots.length,
      isBuilding: slots.length === 0 || waiting.length > 0,
      done: Math.min(...waiting.map(({ built }) => built), slots.length === 0 ? 0 : Number.MAX_SAFE_INTEGER),
    }
  },
}
