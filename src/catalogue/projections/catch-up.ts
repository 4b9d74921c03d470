import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { Catalogue } from '../catalogue.ts'
import { projections } from './projections.ts'
import { listQueuedStores } from './queue.ts'
import { applyChanged, buildNext, type OnFailure } from './step.ts'

/** How long to wait where another process works on the stores. */
const pauseMs = 20

/**
 * Applies all changes that were committed before the call, and builds what is to be built, together with the gateways
 * that run. Products that have failed stay in the queue.
 */
export async function catchUp(catalogue: Catalogue, failed: OnFailure, storeUuid?: string): Promise<void> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(catalogue.db)
  const begun = onlyRow(rows).now
  for (;;) {
    const queued = (await listQueuedStores(catalogue)).filter(({ uuid }) => uuid === (storeUuid ?? uuid))
    const due = queued.filter(({ oldest, isBuilding }) => isBuilding || oldest <= begun)
    if (due.length === 0) return
    for (const { uuid, isBuilding } of due) {
      const applied = await applyChanged(catalogue, projections, uuid, failed)
      const built = isBuilding ? await buildNext(catalogue, projections, uuid) : applied
      if (applied === 'locked' && built === 'locked') await sleep(pauseMs)
    }
  }
}
