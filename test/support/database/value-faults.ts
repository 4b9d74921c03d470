import { sql } from 'kysely'
import type { TestDatabase } from './database.ts'

/** Where the indexed values of products, or their counts, are not what the products have. Reads all stores. */
export async function valueFaults({ db }: TestDatabase): Promise<unknown[]> {
  const { rows } = await sql<{ fault: unknown }>`
    with row as (
      select store_uuid, product_code, status, array[coalesce(v1, k1), coalesce(v2, k2), coalesce(v3, k3),
        coalesce(v4, k4), coalesce(v5, k5), coalesce(v6, k6), coalesce(v7, k7), coalesce(v8, k8)] as values,
        array[k1, k2, k3, k4, k5, k6, k7, k8] as keys
      from product_value
    ), expected_count as (
      select store_uuid, slot, left(value, 255) as value, count(*) as products
      from row cross join lateral unnest(values) with ordinality u(value, slot) where value is not null group by 1, 2, 3
      union all select store_uuid, 0, '', count(*) from row group by 1
    )
    select json_build_array('value', d.name, d.slot, p, r) as fault
    from attribute_definition d join product p using (store_uuid) left join row r using (store_uuid, product_code)
    where d.is_indexed and (
      r.status is distinct from p.status or p.attributes ->> d.name is distinct from r.values[d.slot]
      or (r.keys[d.slot] is distinct from case when d.type = 'number' then number_key(r.values[d.slot])
        else left(r.values[d.slot], 100) end))
    union all
    select json_build_array('row', r) from row r
    where not exists (select from product p where (p.store_uuid, p.product_code) = (r.store_uuid, r.product_code))
      or not exists (select from attribute_definition d where d.store_uuid = r.store_uuid and d.slot is not null)
    union all
    select json_build_array('definition', d) from attribute_definition d
    where filterable <> (slot is not null) or filterable <> is_indexed
    union all
    select json_build_array('count', e, c) from expected_count e
      full join (select * from value_count where products <> 0) c using (store_uuid, slot, value)
    where e.products is distinct from c.products`.execute(db)
  return rows.map(({ fault }) => fault)
}
