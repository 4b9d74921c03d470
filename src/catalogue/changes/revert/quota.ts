import { type RawBuilder, sql } from 'kysely'
import { CatalogueError } from '../../../errors.ts'

/**
 * How many MiB the reverts of a store may record over the API in 24 hours: a request of 400 bytes records as much as
 * all that it reverts, and can be reverted in turn.
 */
const maxRecordedMb = 1_024
/** Added for each row of the ledger. The sum is quick, as the rows of a full quota are few. */
const bytesOfRow = 16 * 1024

/** What reverts have recorded in a store in the last 24 hours, in MiB. Items that are stored apart are not read. */
export const recordedByReverts = (storeUuid: string): RawBuilder<number> => sql`(
    select coalesce(sum(${bytesOfRow}::bigint + pg_column_size(codes) + pg_column_size(keys) + pg_column_size(was)), 0)
    from change where store_uuid = ${storeUuid} and reverts is not null and at > now() - interval '24 hours'
  )::float8 / 1048576`

/** Throws `quota_exceeded` if the reverts of a store have recorded as many MiB as they may. */
export function requireQuota(recordedMb: number): void {
  if (recordedMb < maxRecordedMb) return
  throw new CatalogueError(
    'quota_exceeded',
    `the reverts of a store may record at most ${maxRecordedMb} MiB in 24 hours; they have recorded ${Math.floor(recordedMb)} MiB: revert later, or use \`catalog revert\``,
  )
}
