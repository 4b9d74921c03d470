import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { unprepared } from '../../database/connection/session.ts'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import type { RowDifference } from '../projections/projection.ts'
import { queuedCodes } from '../projections/queue.ts'
import { rowsProjection } from '../projections/rows-projection.ts'
import { assignSlots, findSlots, productsOf, slotValues, valueColumns } from './slots.ts'

/** The values of filterable attributes, for filters, orders and facets. */
export const filtersProjection = rowsProjection({
  name: 'FILTERS',
  table: 'product_index',
  state: 'product_index_slot',
  use: 'filterable',
  assign: assignSlots,
  apply,
  check,
})

const ownColumns = ['status', 'created_at', 'updated_at']
const columnsOf = (table: string | undefined, names = [...ownColumns, ...valueColumns.map(({ name }) => name)]) =>
  sql.join(names.map((name) => (table ? sql.id(table, name) : sql.id(name))))

/** Makes the rows of products what the products are now. Changed rows have another version. */
async function apply(work: WriteCatalogue, storeUuid: string, codes: readonly string[]): Promise<void> {
  const slots = await findSlots(work, storeUuid)
  const written = await sql`
    ${unprepared} insert into product_index as i (store_uuid, product_code, ${columnsOf(undefined)})
    select ${storeUuid}::uuid, p.product_code, ${columnsOf('p', ownColumns)}, ${sql.join(slotValues(slots))}
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

/** Compares the attributes that are built. */
async function check(catalogue: Catalogue, storeUuid: string, limit: number): Promise<RowDifference[]> {
  const built = (await findSlots(catalogue, storeUuid)).filter(({ builtTo }) => builtTo === null)
  if (built.length === 0) return []
  const isBuilt = (slot: number) => built.some((other) => other.slot === slot)
  const kept = valueColumns.map(({ name, slot }) => (isBuilt(slot) ? sql.id('i', name) : sql`null`))
  const { rows } = await sql<RowDifference>`
    select 'index' as what, null as channel, code, i.kept, p.actual
    from (
      select i.product_code as code, row(${columnsOf('i', ownColumns)}, ${sql.join(kept)})::text as kept
      from product_index i where i.store_uuid = ${storeUuid}
    ) i full join (
      select p.product_code as code, row(${columnsOf('p', ownColumns)}, ${sql.join(slotValues(built))})::text as actual
      from ${productsOf(storeUuid)} p
    ) p using (code)
    where i.kept is distinct from p.actual and code not in (${queuedCodes(storeUuid)})
    order by code limit ${limit}`.execute(catalogue.db)
  return rows
}
