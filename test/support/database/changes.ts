import { sql } from 'kysely'
import { expect } from 'vitest'
import type { TestDatabase } from './database.ts'

/** An item of the ledger, with the columns of its row that describe the request. */
export interface ChangeItem {
  kind: string
  action: string
  code: string
  key: string | null
  was: string | null
  requestId: string
  via: string
  operation: string
  actor: string
  failed: number
}

/** The items of a store's changes, in their order. */
export async function changesOf({ db }: TestDatabase, storeUuid: string): Promise<ChangeItem[]> {
  const { rows } = await sql<ChangeItem>`
    select kind, action, i.code, i.key, i.was, request_id as "requestId", via, operation, actor, failed
    from change, unnest(codes, keys, was) with ordinality as i(code, key, was, nth)
    where store_uuid = ${storeUuid} order by seq, nth`.execute(db)
  return rows
}

/** Waits until the feed has all changes: older transactions may be open in any database of the server. */
export async function settled({ db }: TestDatabase): Promise<void> {
  const isSettled = async () => {
    const { rows } = await sql<{ oldest: string }>`select oldest_open as oldest from ledger_state()`.execute(db)
    const open = sql`select 1 from change where tx >= ${rows[0]?.oldest}::xid8`
    return (await sql<{ settled: boolean }>`select not exists (${open}) as settled`.execute(db)).rows
  }
  await expect.poll(isSettled).toEqual([{ settled: true }])
}
