import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/tables.ts'

/**
 * Locks the stores in the order of their keys until the transaction ends, and returns those that exist. Every writer of
 * assets and links takes this lock first: what it reads afterwards nobody else changes, and no two can wait for each other.
 */
export async function lockStores(db: Transaction<Database>, storeUuids: readonly string[]): Promise<Set<string>> {
  if (storeUuids.length === 0) return new Set()
  const rows = await db
    .selectFrom('store')
    .select('store_uuid')
    .where('store_uuid', '=', sql<string>`any(${[...storeUuids]}::uuid[])`)
    .orderBy('store_uuid')
    .forNoKeyUpdate()
    .execute()
  return new Set(rows.map((row) => row.store_uuid))
}
