import { sql } from 'kysely'
import { isStorable } from '../../text.ts'
import { type Catalogue, requireVisible, visibleStore } from '../catalogue.ts'
import { requireStore } from '../stores/stores.ts'
import { type CatalogueKind, type Change, type ChangeHead, changeOf, headColumns, isOfCatalogue } from './change.ts'

type CountedAction = 'created' | 'updated' | 'deleted'

/** What a request changed in a store, with numbers by kind and action. */
export interface RequestReceipt {
  storeUuid: string
  requestId: string
  at: Date
  actor: string
  via: Change['via']
  operation: string
  failed: number
  counts: ({ kind: CatalogueKind } & Record<CountedAction, number>)[]
}

/** The receipt of a request; null if it changed nothing. Throws `store_not_found`. */
export async function readReceipt(
  catalogue: Catalogue,
  storeUuid: string,
  requestId: string,
): Promise<RequestReceipt | null> {
  if (!isStorable(requestId)) return null
  const uuid = requireVisible(catalogue, storeUuid)
  const { rows } = await sql<
    Omit<RequestReceipt, 'counts'> & { kind: CatalogueKind; action: CountedAction; count: number }
  >`
    select c.kind, c.action, sum(c.count)::int as count, sum(c.failed)::int as failed, min(c.at) as at, (array_agg(c.actor order by c.seq))[1] as actor,
      (array_agg(c.via order by c.seq))[1] as via, (array_agg(c.operation order by c.seq))[1] as operation
    from change c where c.store_uuid = ${uuid} and c.request_id = ${requestId} and ${isOfCatalogue}
    group by c.kind, c.action
    order by min(c.seq)`.execute(catalogue.db)
  const [first] = rows
  if (!first) {
    await requireStore(catalogue, uuid)
    return null
  }
  const { at, actor, via, operation } = first
  const counts = [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const countOf = (action: CountedAction) => ofKind.find((row) => row.action === action)?.count ?? 0
    return { kind, created: countOf('created'), updated: countOf('updated'), deleted: countOf('deleted') }
  })
  const failed = rows.reduce((sum, row) => sum + row.failed, 0)
  return { storeUuid: uuid, requestId, at, actor, via, operation, failed, counts }
}

/** The last change of a revert, if it was made after the last change of the request that it reverts. */
export type Revert = ChangeHead & { reverts: string }

/** The reverts of requests, their reverts, and so on; the last one first. */
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

/** By request: its last revert that is not reverted itself. */
export async function findReverts(
  catalogue: Catalogue,
  storeUuid: string,
  requestIds: readonly string[],
): Promise<Map<string, Revert>> {
  const findRevert = revertFinder(await listReverts(catalogue, storeUuid, requestIds))
  return new Map(requestIds.flatMap((id) => [findRevert(id) ?? []].flat().map((revert) => [id, revert])))
}

/** Finds the last revert of a request that is not reverted itself. */
export function revertFinder(reverts: readonly Revert[]) {
  const byReverted = Map.groupBy(reverts, (revert) => revert.reverts)
  const find = (id: string): Revert | undefined => byReverted.get(id)?.find(({ requestId }) => !find(requestId))
  return find
}
