import { sql } from 'kysely'
import type { WriteCatalogue } from '../catalogue.ts'

/** The largest number of filterable attributes in a store: each has a slot in `product_key`. */
export const maxFilterable = 8

/** The largest number of searchable attributes in a store. */
export const maxSearchable = 4

/**
 * How a definition `d` is replaced. It keeps its slot while it is filterable; as a number its values are ordered in
 * another way, so that they are to be indexed anew.
 */
export const onRedefinition = sql`on conflict (store_uuid, name) do update set type = excluded.type,
        allowed_values = excluded.allowed_values, max_length = excluded.max_length, pattern = excluded.pattern,
        filterable = excluded.filterable, searchable = excluded.searchable,
        slot = case when excluded.filterable and (d.type = 'number') = (excluded.type = 'number') then d.slot end,
        is_indexed = d.is_indexed and excluded.filterable and (d.type = 'number') = (excluded.type = 'number'),
        is_counted = d.is_counted and excluded.filterable and (d.type = 'number') = (excluded.type = 'number')`

/**
 * Gives filterable attributes of a store a slot each, after definitions were written. Those for which there is none are
 * filterable no more: a revert may bring back too many.
 */
export async function assignSlots({ db }: WriteCatalogue, storeUuid: string): Promise<void> {
  await sql`
    with lacking as materialized (
      select name, row_number() over (order by name) as nth from attribute_definition
      where store_uuid = ${storeUuid} and filterable and slot is null
    ), free as materialized (
      select slot, row_number() over (order by slot) as nth from generate_series(1, ${maxFilterable}::integer) slot
      where slot not in (select slot from attribute_definition where store_uuid = ${storeUuid} and slot is not null)
    ), given as materialized (
      select lacking.name, free.slot from lacking left join free using (nth)
    )
    update attribute_definition d set slot = g.slot, filterable = g.slot is not null, is_indexed = false,
      is_counted = false, indexed_by = null, indexed_to = null
    from given g
    where d.store_uuid = ${storeUuid} and d.name = g.name`.execute(db)
}
