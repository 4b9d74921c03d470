import { type RawBuilder, sql } from 'kysely'
import { productTotal } from '../products/find-products.ts'
import type { ProjectionName } from './projection.ts'

/** SQL: the rows of the queue of a store for a projection. */
const pending = (storeUuid: string | null, projection: ProjectionName) => sql`
  product_dirty d where d.store_uuid = ${storeUuid} and (d.projection is null or d.projection = ${projection})`

/** SQL: the time of which the database is: of its last commit on a replica. */
export const databaseTime = sql<Date>`case when pg_is_in_recovery()
    then coalesce(pg_last_xact_replay_timestamp(), 'epoch') else now() end`

/**
 * SQL: the time of which a projection of a store is: all changes committed up to then are in it, later ones may be. To
 * be read in the statement that reads the rows, or before.
 */
export const projectionTime = (storeUuid: string | null, projection: ProjectionName): RawBuilder<Date> =>
  sql<Date>`(select least(min(d.at), ${databaseTime}) from ${pending(storeUuid, projection)})`

/** SQL: whether all committed changes of a store are in a projection. */
export const isCaughtUp = (storeUuid: string | null, projection: ProjectionName): RawBuilder<boolean> =>
  sql<boolean>`not exists (select from ${pending(storeUuid, projection)})`

/** SQL: how many products a store has for a projection: as of its time, and exactly those that it has rows of. */
export const productTotalAsOf = (
  storeUuid: string | null,
  projection: ProjectionName,
): RawBuilder<number> => sql<number>`(
  select ${productTotal(storeUuid)} - coalesce(sum(d.delta), 0)::integer from ${pending(storeUuid, projection)})`
