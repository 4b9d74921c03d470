import { sql } from 'kysely'
import { isUnsearched } from './index-values.ts'
import { statusSlot } from './value-keys.ts'

/**
 * A query of the differences between the products of a store and their indexed values, and the counts of these:
 * `(what, code, kept, actual)`.
 */
export function checkedValues(storeUuid: string) {
  return sql<{ what: 'value' | 'value count'; code: string | null; kept: string | null; actual: string | null }>`
    with definition as materialized (
      select name, type, slot, is_indexed, is_indexed and is_counted as is_counted from attribute_definition
      where store_uuid = ${storeUuid} and slot is not null
    ), indexed as materialized (
      select product_code, status, attributes from product_value where store_uuid = ${storeUuid}
    ), keyed as materialized (
      select slot, key, product_code from product_key where store_uuid = ${storeUuid}
    ), listed as (
      select product_code, status, attributes from product where store_uuid = ${storeUuid}
    ), counted as (
      select d.slot, left(i.attributes ->> d.name, 255) as value, count(*) as products
      from definition d cross join indexed i where d.is_counted and i.attributes ? d.name group by 1, 2
    ), kept as (
      select slot, value, products from value_count
      where store_uuid = ${storeUuid} and products <> 0 and slot = any(array(select slot from definition where is_counted))
    )
    select 'value' as what, p.product_code as code, concat_ws(' ', i.status, d.name, i.attributes ->> d.name) as kept,
      concat_ws(' ', p.status, d.name, p.attributes ->> d.name) as actual
    from definition d cross join listed p left join indexed i using (product_code)
    where d.is_indexed and (
      i.status is distinct from p.status or p.attributes ->> d.name is distinct from i.attributes ->> d.name)
    union all
    select 'value', i.product_code, i.status, null from indexed i left join listed p using (product_code)
    where p.product_code is null or not exists (select from definition)
    union all
    select 'value', coalesce(k.product_code, i.product_code), k.name || ' ' || k.key, i.name || ' ' || i.key
    from (
      select d.name, k.slot, k.key, k.product_code from keyed k left join definition d using (slot)
      where k.slot <> ${statusSlot} and (d.slot is null or d.is_indexed)
    ) k full join (
      select d.name, d.slot, value_key(i.attributes ->> d.name, d.type = 'number') as key, i.product_code
      from definition d cross join indexed i where d.is_indexed
    ) i using (slot, key, product_code)
    where (k.product_code is null or i.product_code is null) and (k.key is not null or i.key is not null)
    union all
    select 'value', product_code, k.key, i.status
    from (
      select key, product_code from keyed where slot = ${statusSlot}
    ) k full join (
      select status, product_code from indexed where exists (select from definition where is_indexed)
    ) i using (product_code)
    where k.key is distinct from i.status
      and (select count(*) filter (where not is_indexed) = 0 or bool_or(is_indexed) from definition)
    union all
    select 'value', coalesce(p.product_code, t.product_code), t.text, p.text
    from (
      select product_code, searched_text(attributes, array(
        select name from attribute_definition where store_uuid = ${storeUuid} and searchable)) as text
      from product where store_uuid = ${storeUuid}
    ) p full join (
      select product_code, text from product_text where store_uuid = ${storeUuid}
    ) t using (product_code)
    where p.text is distinct from t.text and not exists (
      select from attribute_definition where store_uuid = ${storeUuid} and ${isUnsearched(storeUuid)})
    union all
    select 'value count', null, d.name || ' ' || k.value || ' ' || k.products, d.name || ' ' || c.value || ' ' || c.products
    from counted c full join kept k using (slot, value) join definition d on d.slot = coalesce(c.slot, k.slot)
    where c.products is distinct from k.products`
}
