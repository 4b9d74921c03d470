import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { unprepared } from '../../database/connection/session.ts'
import type { WriteCatalogue } from '../catalogue.ts'
import { findSlots, productsOf, valueColumns, valuesOf } from './slots.ts'

export const ownColumns = ['status', 'created_at', 'updated_at']
export const columnsOf = (
  table: string | undefined,
  names = [...ownColumns, ...valueColumns.map(({ name }) => name)],
) => sql.join(names.map((name) => (table ? sql.id(table, name) : sql.id(name))))

/**
 * Makes the rows of products what the products are now. The caller holds the store's lock of projections; the codes are
 * those of committed writes: this may run at any time after these, and again. Changed rows have another version.
 */
export async function apply(work: WriteCatalogue, storeUuid: string, codes: readonly string[]): Promise<void> {
  const slots = await findSlots(work, storeUuid)
  const written = await sql`
    ${unprepared} insert into product_index as i (store_uuid, product_code, ${columnsOf(undefined)})
    select ${storeUuid}::uuid, p.product_code, ${columnsOf('p', ownColumns)}, ${sql.join(valuesOf(slots))}
    from ${productsOf(storeUuid, codes)} p
    order by p.product_code
    on conflict (store_uuid, product_code) do update set (${columnsOf(undefined)}) = (${columnsOf('excluded')})
    where (${columnsOf('i')}) is distinct from (${columnsOf('excluded')})`.execute(work.db)
  // Each row is looked up by its key, whatever the statistics are.
  const given = sql`${[...codes]}::text[]`
  const deleted = await sql`
    delete from product_index where store_uuid = ${storeUuid} and product_code = any(array(
      select code collate "C" from unnest(${given}) code
      except
      select product_code from product where store_uuid = ${storeUuid} and product_code = any(${given})))`.execute(
    work.db,
  )
  if (!written.numAffectedRows && !deleted.numAffectedRows) return
  await sql`update product_index_slot set version = ${randomUUID()} where store_uuid = ${storeUuid}`.execute(work.db)
}
