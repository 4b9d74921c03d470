import { sql } from 'kysely'
import type { TestDatabase } from '../../support/database/database.ts'

export interface LedgerRow {
  store: string
  requestId?: string
  actor?: string
  operation?: string
  kind?: string
  action?: string
  /** `[code, key, was]` of each item. */
  items?: [code: string, key: string | null, was: string | null][]
  failed?: number
  reverts?: string | null
  at?: string
}

/** Items of so many products, which are large by the prefix of their codes. */
export const itemsOf = (count: number, prefix: string): Required<LedgerRow>['items'] =>
  Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'Color', null])

/** Adds a row to the ledger, as a write does. */
export async function addChange(db: TestDatabase['db'], row: LedgerRow): Promise<{ tx: string; seq: string }> {
  const items = row.items ?? [['A', 'Color', 'red']]
  const [codes, keys, was] = [0, 1, 2].map((i) => items.map((item) => item[i]))
  const { rows } = await sql<{ tx: string; seq: string }>`
    insert into change (store_uuid, request_id, token_id, actor, via, operation, kind, action, codes, keys, was, count, failed,
      reverts, at)
    values (${row.store}, ${row.requestId ?? 'request'}, null, ${row.actor ?? 'a token'}, 'rest',
      ${row.operation ?? 'updateProducts'}, ${row.kind ?? 'product'}, ${row.action ?? 'updated'}, ${codes}, ${keys},
      ${was}, ${new Set(codes).size}, ${row.failed ?? 0}, ${row.reverts ?? null}, coalesce(${row.at ?? null}::timestamptz, clock_timestamp()))
    returning tx, seq`.execute(db)
  const [made] = rows
  if (!made) throw new Error('no row was made')
  return made
}
