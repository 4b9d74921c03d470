import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { unprepared } from '../../database/connection/session.ts'
import { maxFilterable } from '../attributes/attribute-definitions.ts'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'
import { asNumber, comparedCharacters } from '../products/query/values.ts'
import { attributeProjection, productsOf } from './attribute-projection.ts'
import type { RowDifference } from './projection.ts'
import { queuedCodes } from './queue.ts'

/** An attribute in a slot of `product_index`. */
interface Slot {
  slot: number
  name: string
  /** Whether the slot has the values as numbers, too. */
  isNumber: boolean
  /** The values are those of products with codes up to this one; null: of all. */
  builtTo: string | null
}

/** The values of filterable attributes, for filters, orders and facets. */
export const filtersProjection = attributeProjection({
  name: 'FILTERS',
  table: 'product_index',
  state: 'product_index_slot',
  use: 'filterable',
  updateState: assignSlots,
  apply,
  check,
})

/** The columns of all slots: the texts, then the numbers. */
const valueColumns = (['t', 'n'] as const).flatMap((kind) =>
  Array.from({ length: maxFilterable }, (_, i) => ({ kind, slot: i + 1, name: `${kind}${i + 1}` })),
)

const ownColumns = ['status', 'created_at', 'updated_at']
const columnsOf = (table: string | undefined, names = [...ownColumns, ...valueColumns.map(({ name }) => name)]) =>
  sql.join(names.map((name) => (table ? sql.id(table, name) : sql.id(name))))

/** Makes the rows of products what the products are now. Changed rows have another version. */
async function apply(catalogue: WriteCatalogue, storeUuid: string, codes: readonly string[]): Promise<undefined> {
  const slots = await findSlots(catalogue, storeUuid)
  const written = await sql`
    ${unprepared} insert into product_index as i (store_uuid, product_code, ${columnsOf(undefined)})
    select ${storeUuid}::uuid, p.product_code, ${columnsOf('p', ownColumns)}, ${sql.join(slotValues(slots))}
    from ${productsOf(storeUuid, codes)} p
    order by p.product_code
    on conflict (store_uuid, product_code) do update set (${columnsOf(undefined)}) = (${columnsOf('excluded')})
    where (${columnsOf('i')}) is distinct from (${columnsOf('excluded')})`.execute(catalogue.db)
  // Each row is looked up by its key, whatever the statistics are.
  const given = sql`${[...codes]}::text[]`
  const deleted = await sql`
    delete from product_index where store_uuid = ${storeUuid} and product_code = any(array(
      select code collate "C" from unnest(${given}) code
      except
      select product_code from product where store_uuid = ${storeUuid} and product_code = any(${given})))`.execute(
    catalogue.db,
  )
  if (!written.numAffectedRows && !deleted.numAffectedRows) return
  await sql`update product_index_slot set version = ${randomUUID()} where store_uuid = ${storeUuid}`.execute(
    catalogue.db,
  )
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

/** Only the holder of the store's lock of projections changes the slots. */
export async function findSlots({ db }: Catalogue, storeUuid: string): Promise<Slot[]> {
  const { rows } = await sql<Slot>`
    select slot, name, is_number as "isNumber", built_to as "builtTo" from product_index_slot
    where store_uuid = ${storeUuid} order by slot`.execute(db)
  return rows
}

/**
 * Gives each filterable attribute of a store a slot, and takes that of others. An attribute that has become a number,
 * or is one no more, is built again. Attributes for which there is no slot wait for one.
 */
async function assignSlots(catalogue: WriteCatalogue, storeUuid: string): Promise<void> {
  await sql`
    delete from product_index_slot s where s.store_uuid = ${storeUuid} and not exists (
      select from attribute_definition d where d.store_uuid = ${storeUuid} and d.name = s.name and d.filterable
        and (d.type = 'number') = s.is_number)`.execute(catalogue.db)
  await sql`
    insert into product_index_slot (store_uuid, slot, name, is_number)
    select ${storeUuid}::uuid, free.slot, waiting.name, waiting.is_number
    from (
      select name, type = 'number' as is_number, row_number() over (order by name) as nth from attribute_definition
      where store_uuid = ${storeUuid} and filterable
        and name <> all(array(select name from product_index_slot where store_uuid = ${storeUuid}))
    ) waiting join (
      select slot, row_number() over (order by slot) as nth from generate_series(1, ${maxFilterable}::integer) slot
      where slot <> all(array(select slot from product_index_slot where store_uuid = ${storeUuid}))
    ) free using (nth)`.execute(catalogue.db)
}

/** What the columns have of `productsOf`, as `p`. */
function slotValues(slots: readonly Slot[]): RawBuilder<unknown>[] {
  return valueColumns.map(({ kind, slot }) => {
    const of = slots.find((other) => other.slot === slot)
    const value = of && sql<string | null>`(p.attributes ->> ${of.name}::text)`
    if (kind === 't') return value ? sql`left(${value}, ${comparedCharacters}::integer)` : sql`null::text`
    return value && of.isNumber ? asNumber(value) : sql`null::float8`
  })
}
