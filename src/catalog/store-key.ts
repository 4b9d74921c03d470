import { type RawBuilder, sql } from 'kysely'

/**
 * A store's UUID for a statement that joins, or looks many things up. A plain value PostgreSQL looks up in its statistics: a store that
 * was made since they were gathered has no rows there, and with one row expected any index looks as good as any other, and joins compare
 * each row with each. In a subquery it stands for any store.
 */
export function storeKey(storeUuid: string): RawBuilder<string> {
  return sql<string>`(select ${storeUuid}::uuid)`
}
