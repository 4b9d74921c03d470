import { sql } from 'kysely'
import { type Catalogue, requireVisible } from '../catalogue.ts'
import { requireStore } from '../stores/stores.ts'
import type { Change, ChangeAction, ChangeKind } from './change.ts'

/** What a request changed in a store: how many, by kind and action. */
export interface RequestReceipt {
  storeUuid: string
  requestId: string
  at: Date
  actor: string
  via: Change['via']
  operation: string
  failed: number
  counts: ({ kind: ChangeKind } & Record<ChangeAction, number>)[]
}

/** The receipt of a request; null if it changed nothing. Throws `store_not_found`. */
export async function readReceipt(
  catalogue: Catalogue,
  storeUuid: string,
  requestId: string,
): Promise<RequestReceipt | null> {
  const uuid = requireVisible(catalogue, storeUuid)
  const { rows } = await sql<
    Omit<RequestReceipt, 'counts'> & { kind: ChangeKind; action: ChangeAction; count: number }
  >`
    select c.kind, c.action, sum(c.count)::int as count, sum(c.failed)::int as failed, min(c.at) as at, (array_agg(c.actor order by c.seq))[1] as actor,
      (array_agg(c.via order by c.seq))[1] as via, (array_agg(c.operation order by c.seq))[1] as operation
    from change c where c.store_uuid = ${uuid} and c.request_id = ${requestId}
    group by c.kind, c.action
    order by min(c.seq)`.execute(catalogue.db)
  const [first] = rows
  if (!first) {
    await requireStore(catalogue, uuid)
    return null
  }
  const { at, actor, via, operation } = first
  const counts = [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const countOf = (action: ChangeAction) => ofKind.find((row) => row.action === action)?.count ?? 0
    return { kind, created: countOf('created'), updated: countOf('updated'), deleted: countOf('deleted') }
  })
  const failed = rows.reduce((sum, row) => sum + row.failed, 0)
  return { storeUuid: uuid, requestId, at, actor, via, operation, failed, counts }
}
