import { sql } from 'kysely'
import { onlyRow } from '../../database/only-row.ts'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import { tryLock } from '../locks.ts'
import { inTransaction } from '../transaction.ts'
import type { Projection, ProjectionName } from './projection.ts'
import { type Changed, deleteBuildRequests, isFull, listBuildRequests, putBack, takeChanged } from './queue.ts'

/** How long products wait after a failure: as long as they have waited before, within these bounds. */
const [minPauseMs, maxPauseMs] = [1_000, 300_000]

/** `locked`: another process works on the store. */
export type StepResult = 'locked' | 'more' | 'done'

export type OnFailure = (projection: ProjectionName, storeUuid: string, error: unknown) => void

/**
 * Applies the first changed products of a store to each of its projections, in one transaction. The lock is taken in a
 * statement of its own, so that what follows sees all that its last holder has committed; the products are read after
 * their rows of the queue are deleted.
 */
export function applyChanged(
  catalogue: Catalogue,
  projections: readonly Projection[],
  storeUuid: string,
  onFailure: OnFailure,
): Promise<StepResult> {
  return inTransaction(catalogue, async (within) => {
    if (!(await tryLock(within, storeUuid, 'projections'))) return 'locked'
    const changed = await takeChanged(within, storeUuid)
    for (const projection of changed.length === 0 ? [] : await keptAmong(projections, within, storeUuid)) {
      for (const batch of batchesFor(projection.name, changed)) {
        await applyOne(within, storeUuid, projection, batch, onFailure)
      }
    }
    return isFull(changed) ? 'more' : 'done'
  })
}

/** The projections of which something is kept of a store. */
async function keptAmong(projections: readonly Projection[], { db }: WriteCatalogue, storeUuid: string) {
  const isKept = projections.map(
    ({ name, state }) =>
      sql`exists (select from ${sql.table(state)} where store_uuid = ${storeUuid}) as ${sql.id(name)}`,
  )
  const { rows } = await sql<Record<ProjectionName, boolean>>`select ${sql.join(isKept)}`.execute(db)
  const kept = onlyRow(rows)
  return projections.filter(({ name }) => kept[name])
}

/**
 * Applies changed products in a savepoint; those that fail or are left are put back into the queue: what fails in two
 * halves, so that in the end only the product that fails waits.
 */
async function applyOne(
  catalogue: WriteCatalogue,
  storeUuid: string,
  projection: Projection,
  changed: Changed,
  onFailure: OnFailure,
): Promise<void> {
  try {
    const left = await inTransaction(catalogue, (within) => projection.apply(within, storeUuid, changed.codes))
    if (left && left.length > 0) await putBack(catalogue, storeUuid, { ...changed, codes: [...left] }, 0)
  } catch (error) {
    onFailure(projection.name, storeUuid, error)
    const waitedMs = Date.now() - changed.at.getTime()
    const pauseMs = Math.min(Math.max(waitedMs, minPauseMs), maxPauseMs)
    const { codes } = changed
    const half = Math.floor(codes.length / 2)
    await putBack(catalogue, storeUuid, { ...changed, codes: codes.slice(half) }, pauseMs)
    if (half > 0) await putBack(catalogue, storeUuid, { ...changed, codes: codes.slice(0, half), delta: 0 }, pauseMs)
  }
}

/** What a projection applies: new rows of the queue together, and each row that was put back for it by itself. */
function batchesFor(projection: ProjectionName, changed: readonly Changed[]): Changed[] {
  const fresh = changed.filter((one) => one.projection === null)
  const again = changed.filter((one) => one.projection === projection)
  const [first] = fresh
  if (!first) return again
  const merged = {
    at: fresh.reduce((oldest, { at }) => (at < oldest ? at : oldest), first.at),
    delta: fresh.reduce((sum, { delta }) => sum + delta, 0),
    codes: [...new Set(fresh.flatMap(({ codes }) => codes))],
    projection,
  }
  return [merged, ...again]
}

/** Does a short part of what is to be built for a store. `done`: nothing is left. */
export function buildNext(
  catalogue: Catalogue,
  projections: readonly Projection[],
  storeUuid: string,
): Promise<StepResult> {
  return inTransaction(catalogue, async (within) => {
    if (!(await tryLock(within, storeUuid, 'projections'))) return 'locked'
    // A request that is committed after this statement stays: what follows may not see its cause.
    const requests = await listBuildRequests(within, storeUuid)
    for (const projection of projections) if (await projection.build(within, storeUuid)) return 'more'
    await deleteBuildRequests(within, storeUuid, requests)
    return 'done'
  })
}
