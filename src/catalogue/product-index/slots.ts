import { type RawBuilder, sql } from 'kysely'
import type { Catalogue, WriteCatalogue } from '../catalogue.ts'

/** The largest number of filterable attributes in a store: each has a slot. */
export const maxFilterable = 8

/** An attribute in a slot of `product_index`. */
export interface Slot {
  slot: number
  name: string
  /** Whether the slot has the values as numbers, too. */
  isNumber: boolean
  /** The values are those of products with codes up to this one; null: of all. */
  builtTo: string | null
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
export async function assignSlots(work: WriteCatalogue, storeUuid: string): Promise<void> {
  await sql`
    delete from product_index_slot s where s.store_uuid = ${storeUuid} and not exists (
      select from attribute_definition d where d.store_uuid = ${storeUuid} and d.name = s.name and d.filterable
        and (d.type = 'number') = s.is_number)`.execute(work.db)
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
    ) free using (nth)`.execute(work.db)
}

/** The number of first characters by which texts are compared. */
export const comparedCharacters = 255

/** A text with more characters is no number: the number could be too large for `float8`. */
export const maxDigits = 300

export function isNumber(text: string): boolean {
  return text.length <= maxDigits && /^-?[0-9]+([.][0-9]+)?$/.test(text)
}

/** The text as a number, or null: the cast cannot fail. */
export function asNumber(text: RawBuilder<string | null>): RawBuilder<number | null> {
  return sql<number | null>`(case when length(${text}) <= ${maxDigits}::integer and ${text} ~ '^-?[0-9]+([.][0-9]+)?$'
    then ${text}::float8 end)`
}

/** The columns of all slots: the texts, then the numbers. */
export const valueColumns = (['t', 'n'] as const).flatMap((kind) =>
  Array.from({ length: maxFilterable }, (_, i) => ({ kind, slot: i + 1, name: `${kind}${i + 1}` })),
)

/** SQL: the products of a store, or some of them, with their attributes decompressed once for all columns. */
export function productsOf(storeUuid: string, codes?: readonly string[]): RawBuilder<unknown> {
  const given = codes ? sql`and product_code = any(${[...codes]}::text[])` : sql``
  return sql`(
    select product_code, status, created_at, updated_at, attributes || '{}' as attributes
    from product where store_uuid = ${storeUuid} ${given}
    offset 0)`
}

/** What the columns have of `productsOf`, as `p`. */
export function slotValues(slots: readonly Slot[]): RawBuilder<unknown>[] {
  return valueColumns.map(({ kind, slot }) => {
    const of = slots.find((other) => other.slot === slot)
    const value = of && sql<string | null>`(p.attributes ->> ${of.name}::text)`
    if (kind === 't') return value ? sql`left(${value}, ${comparedCharacters}::integer)` : sql`null::text`
    return value && of.isNumber ? asNumber(value) : sql`null::float8`
  })
}
