import { sql } from 'kysely'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import { type ChangeHead, changeOf, headColumns } from './change.ts'

/** The last change in which a request reverts another one, after the last change of that one. */
export type Revert = ChangeHead & { reverts: string }

/** The reverts of requests, the reverts of these, and so on, the last one first. */
export async function listReverts(
  catalogue: Catalogue,
  storeUuid: string,
  requestIds: readonly string[],
): Promise<Revert[]> {
  const uuid = visibleStore(catalogue, storeUuid)
  const { rows } = await sql<Omit<Revert, 'cursor'> & { ledger: string }>`
    select ${headColumns}, state.ledger
    from ledger_state() state cross join reverts_of(${uuid}::uuid, ${[...requestIds]}::text[]) c
    order by c.seq desc`.execute(catalogue.db)
  return rows.map((row) => changeOf(row, row.ledger))
}

/** The last change of the last revert of each request that is not reverted itself, by the request. */
export async function findReverts(
  catalogue: Catalogue,
  storeUuid: string,
  requestIds: readonly string[],
): Promise<Map<string, Revert>> {
  const inEffect = inEffectOf(await listReverts(catalogue, storeUuid, requestIds))
  return new Map(requestIds.flatMap((id) => [inEffect(id) ?? []].flat().map((revert) => [id, revert])))
}

/** The last revert of a request that is not reverted itself. */
export function inEffectOf(reverts: readonly Revert[]) {
  const byReverted = Map.groupBy(reverts, (revert) => revert.reverts)
  const inEffect = (id: string): Revert | undefined => byReverted.get(id)?.find(({ requestId }) => !inEffect(requestId))
  return inEffect
}
