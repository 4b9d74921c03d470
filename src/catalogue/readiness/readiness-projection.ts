import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { Projection } from '../projections/projection.ts'
import { buildCounts } from './build-counts.ts'
import { checkReadiness } from './check-readiness.ts'
import { findCounts, recount } from './counts.ts'
import { chunkSize } from './evaluate.ts'

/** After this time a step in a store begins no further products. */
const maxStepMs = 200

/** The gaps of products, and how many products miss what. */
export const readinessProjection: Projection = {
  name: 'READINESS',
  state: 'channel_readiness',
  build: buildCounts,
  check: checkReadiness,
  async apply(catalogue, storeUuid, codes) {
    const followed = (await findCounts(catalogue, storeUuid)).filter(({ state }) => state !== 'dropped')
    const size = chunkSize(followed.flatMap(({ requirements }) => requirements))
    const begun = performance.now()
    for (let from = 0; from < codes.length; from += size) {
      if (from > 0 && performance.now() - begun > maxStepMs) return codes.slice(from)
      for (const counts of followed) await recount(catalogue, storeUuid, counts, codes.slice(from, from + size))
    }
    return undefined
  },
  async progress(catalogue, storeUuid) {
    const { rows } = await sql<{ channels: number }>`
      select count(*)::integer as channels from channel_requirement where store_uuid = ${storeUuid}`.execute(
      catalogue.db,
    )
    const { channels } = onlyRow(rows)
    if (channels === 0) return undefined
    const all = await findCounts(catalogue, storeUuid)
    const current = all.filter(({ state }) => state === 'current')
    const counting = all.filter(({ state }) => state === 'counting')
    return {
      isBuilt: current.length >= channels,
      isBuilding: counting.length > 0 || current.length < channels,
      done: counting.length === 0 ? 0 : Math.min(...counting.map(({ counted }) => counted)),
    }
  },
}
