-- A text whose order by code points is that of numbers: the exponent and the digits, for negative ones their
-- complement. Null if the value is no number, or longer than numbers are read (attribute-types.ts).
create or replace function number_key(value text) returns text language plpgsql immutable strict parallel safe as $$
declare
  whole constant text := ltrim(split_part(ltrim(value, '-'), '.', 1), '0');
  fraction constant text := split_part(value, '.', 2);
  digits text := ltrim(whole || fraction, '0');
  exponent constant integer := case when whole = '' then length(digits) - length(fraction) else length(whole) end;
begin
  if length(value) > 1000 or value !~ '^-?[0-9]+([.][0-9]+)?$' then
    return null;
  end if;
  digits := (5000 + exponent)::text || rtrim(digits, '0');
  return case when length(digits) = 4 then '1'
    when value like '-%' then '0' || translate(digits, '0123456789', '9876543210') || '~' else '2' || digits end;
end $$;

-- Makes the rows of `product_value` and the counts of values those of products, as they are now, of the codes. Who
-- writes products calls it in the same transaction, in a statement after: the caller holds the locks of the products.
-- In a store without filterable attributes it only looks for rows of former ones. Its plans are kept, also when the
-- tables grow.
create or replace function refresh_product_values(of_store uuid, of_codes text[]) returns void
language plpgsql set enable_seqscan = off as $$
declare
  names text[];
  is_number boolean[];
  definition record;
  fewer text[];
  fewer_in smallint[];
begin
  for definition in
    select d.slot, d.name, d.type from attribute_definition d where d.store_uuid = of_store and d.slot is not null
  loop
    names[definition.slot] := definition.name;
    is_number[definition.slot] := definition.type = 'number';
  end loop;
  if names is null and not exists (select from product_value v where v.store_uuid = of_store) then
    return;
  end if;

  with given as materialized (
    select p.product_code, p.status,
      p.attributes ->> names[1] as v1, p.attributes ->> names[2] as v2, p.attributes ->> names[3] as v3, p.attributes ->> names[4] as v4,
      p.attributes ->> names[5] as v5, p.attributes ->> names[6] as v6, p.attributes ->> names[7] as v7, p.attributes ->> names[8] as v8
    from product p where p.store_uuid = of_store and p.product_code = any(of_codes) and names is not null
  ), new as materialized (
    select product_code, status,
      case when is_number[1] then number_key(v1) else left(v1, 100) end as k1,
      case when is_number[2] then number_key(v2) else left(v2, 100) end as k2,
      case when is_number[3] then number_key(v3) else left(v3, 100) end as k3,
      case when is_number[4] then number_key(v4) else left(v4, 100) end as k4,
      case when is_number[5] then number_key(v5) else left(v5, 100) end as k5,
      case when is_number[6] then number_key(v6) else left(v6, 100) end as k6,
      case when is_number[7] then number_key(v7) else left(v7, 100) end as k7,
      case when is_number[8] then number_key(v8) else left(v8, 100) end as k8,
      case when is_number[1] or length(v1) > 100 then v1 end as v1,
      case when is_number[2] or length(v2) > 100 then v2 end as v2,
      case when is_number[3] or length(v3) > 100 then v3 end as v3,
      case when is_number[4] or length(v4) > 100 then v4 end as v4,
      case when is_number[5] or length(v5) > 100 then v5 end as v5,
      case when is_number[6] or length(v6) > 100 then v6 end as v6,
      case when is_number[7] or length(v7) > 100 then v7 end as v7,
      case when is_number[8] or length(v8) > 100 then v8 end as v8
    from given
  ), old as materialized (
    select v.product_code, v.status, v.k1, v.k2, v.k3, v.k4, v.k5, v.k6, v.k7, v.k8,
      v.v1, v.v2, v.v3, v.v4, v.v5, v.v6, v.v7, v.v8
    from product_value v where v.store_uuid = of_store and v.product_code = any(of_codes)
  ), changed as materialized (
    select o.product_code as old_code, n.*, coalesce(o.product_code, n.product_code) as code,
      coalesce(o.v1, o.k1) as o1, coalesce(o.v2, o.k2) as o2, coalesce(o.v3, o.k3) as o3, coalesce(o.v4, o.k4) as o4,
      coalesce(o.v5, o.k5) as o5, coalesce(o.v6, o.k6) as o6, coalesce(o.v7, o.k7) as o7, coalesce(o.v8, o.k8) as o8,
      coalesce(n.v1, n.k1) as n1, coalesce(n.v2, n.k2) as n2, coalesce(n.v3, n.k3) as n3, coalesce(n.v4, n.k4) as n4,
      coalesce(n.v5, n.k5) as n5, coalesce(n.v6, n.k6) as n6, coalesce(n.v7, n.k7) as n7, coalesce(n.v8, n.k8) as n8
    from new n full join old o on o.product_code = n.product_code
    where (n.status, n.k1, n.k2, n.k3, n.k4, n.k5, n.k6, n.k7, n.k8,
      n.v1, n.v2, n.v3, n.v4, n.v5, n.v6, n.v7, n.v8)
      is distinct from (o.status, o.k1, o.k2, o.k3, o.k4, o.k5, o.k6, o.k7, o.k8,
      o.v1, o.v2, o.v3, o.v4, o.v5, o.v6, o.v7, o.v8)
  ), counted as materialized (
    select s.slot, left(d.value, 255) as value, sum(d.products)::integer as products
    from changed c cross join lateral (values
      (0::smallint, case when c.old_code is not null then '' end, case when c.product_code is not null then '' end),
      (1::smallint, c.o1, c.n1), (2::smallint, c.o2, c.n2), (3::smallint, c.o3, c.n3), (4::smallint, c.o4, c.n4),
      (5::smallint, c.o5, c.n5), (6::smallint, c.o6, c.n6), (7::smallint, c.o7, c.n7), (8::smallint, c.o8, c.n8)
    ) s(slot, was, now) cross join lateral (values (s.was, -1), (s.now, 1)) d(value, products)
    where s.was is distinct from s.now and d.value is not null
    group by s.slot, left(d.value, 255) having sum(d.products) <> 0
  ), deleted as (
    delete from product_value v
    where v.store_uuid = of_store and v.product_code = any(array(select code from changed where product_code is null))
  ), written as (
    insert into product_value (store_uuid, product_code, status, k1, k2, k3, k4, k5, k6, k7, k8,
      v1, v2, v3, v4, v5, v6, v7, v8)
    select of_store, product_code, status, k1, k2, k3, k4, k5, k6, k7, k8,
      v1, v2, v3, v4, v5, v6, v7, v8
    from changed where product_code is not null
    order by product_code
    on conflict (store_uuid, product_code) do update set status = excluded.status,
      k1 = excluded.k1, k2 = excluded.k2, k3 = excluded.k3, k4 = excluded.k4,
      k5 = excluded.k5, k6 = excluded.k6, k7 = excluded.k7, k8 = excluded.k8,
      v1 = excluded.v1, v2 = excluded.v2, v3 = excluded.v3, v4 = excluded.v4,
      v5 = excluded.v5, v6 = excluded.v6, v7 = excluded.v7, v8 = excluded.v8
  ), totalled as (
    insert into value_count as t (store_uuid, slot, value, products)
    select of_store, slot, value, products from counted
    order by slot, value
    on conflict (store_uuid, slot, value) do update set products = t.products + excluded.products
  )
  select array_agg(value), array_agg(distinct slot) into fewer, fewer_in from counted where products < 0;

  if fewer is not null then
    delete from value_count t
    where t.store_uuid = of_store and t.slot = any(fewer_in) and t.value = any(fewer) and t.products = 0;
  end if;
end $$;

-- The values of a slot and their counts. A plan for any slot would expect as many values as the average slot has, and
-- read those of all.
create or replace function value_counts(of_store uuid, of_slot integer) returns table (value text, products integer)
language plpgsql stable rows 1000 set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
begin
  return query select c.value, c.products from value_count c
    where c.store_uuid = of_store and c.slot = of_slot and c.products > 0;
end $$;

do $$
begin
  grant execute on function number_key(text), refresh_product_values(uuid, text[]), value_counts(uuid, integer) to catalogue_tenant;
exception
  when undefined_object or insufficient_privilege then null;
end $$;
