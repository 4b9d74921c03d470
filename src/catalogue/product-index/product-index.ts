import { type RawBuilder, sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'
import { findSlots, type Slot, valueColumns, valuesOf } from './slots.ts'

const ownColumns = ['status', 'created_at', 'updated_at']
const columnsOf = (table: string | undefined, names = [...ownColumns, ...valueColumns.map(({ name }) => name)]) =>
  sql.join(names.map((name) => (table ? sql.id(table, name) : sql.id(name))))

/**
 * Makes the rows of products what the products are now. The caller holds the store's lock of projections; the codes are
 * those of committed writes: this may run at any time after these, and again.
 */
export async function apply(work: WriteCatalogue, storeUuid: string, codes: readonly string[]): Promise<void> {
  const slots = await findSlots(work, storeUuid)
  if (slots.length > 0) await applyTo(slots, work, storeUuid, codes)
}

export async function applyTo(
  slots: readonly Slot[],
  work: WriteCatalogue,
  storeUuid: string,
  codes: readonly string[],
): Promise<void> {
  if (codes.length === 0) return
  await sql`
    insert into product_index as i (store_uuid, product_code, ${columnsOf(undefined)})
    select ${storeUuid}::uuid, p.product_code, ${columnsOf('p', ownColumns)}, ${sql.join(valuesOf(slots))}
    from product p where p.store_uuid = ${storeUuid} and p.product_code = any(${[...codes]}::text[])
    order by p.product_code
    on conflict (store_uuid, product_code) do update set (${columnsOf(undefined)}) = (${columnsOf('excluded')})
    where (${columnsOf('i')}) is distinct from (${columnsOf('excluded')})`.execute(work.db)
  // Each row is looked up by its key, whatever the statistics are.
  const given = sql`${[...codes]}::text[]`
  await sql`
    delete from product_index where store_uuid = ${storeUuid} and product_code = any(array(
      select code collate "C" from unnest(${given}) code
      except
      select product_code from product where store_uuid = ${storeUuid} and product_code = any(${given})))`.execute(
    work.db,
  )
}

/**
 * A query of the differences between products and their rows, for the attributes that are built: `(what, code, kept,
 * actual)`. `slots` are those of the same snapshot.
 */
export function differences(slots: readonly Slot[], storeUuid: string): RawBuilder<unknown> {
  const built = slots.filter(({ builtTo }) => builtTo === null)
  const isBuilt = (slot: number) => built.some((other) => other.slot === slot)
  const kept = valueColumns.map(({ name, slot }) => (isBuilt(slot) ? sql.id('i', name) : sql`null`))
  return sql`
    select 'index' as what, coalesce(i.product_code, p.product_code) as code, i.kept, p.actual
    from (
      select i.product_code, row(${columnsOf('i', ownColumns)}, ${sql.join(kept)})::text as kept
      from product_index i where i.store_uuid = ${storeUuid}
    ) i full join (
      select p.product_code, row(${columnsOf('p', ownColumns)}, ${sql.join(valuesOf(built))})::text as actual
      from product p where p.store_uuid = ${storeUuid}
    ) p using (product_code)
    where i.kept is distinct from p.actual and ${built.length > 0}`
}
