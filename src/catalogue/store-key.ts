import { type RawBuilder, sql } from 'kysely'

/**
 * A store's UUID for a statement that joins, or looks up many rows. In a subquery PostgreSQL plans for any store. For a
 * plain value it would use its statistics: a store that was created since they were collected has no rows there, and if
 * one row is expected, any index looks as good as any other and a join compares each row with each.
 */
export function storeKey(storeUuid: string): RawBuilder<string> {
  return sql<string>`(select ${storeUuid}::uuid)`
}
