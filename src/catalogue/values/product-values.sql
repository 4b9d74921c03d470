-- A text whose order by code points is that of numbers: the exponent and the digits, for negative ones their
-- complement. Null if the value is no number, or longer than numbers are read (numberKey in value-columns.ts).
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

-- The key of a value: the one that it had, if it was the same.
create or replace function value_key(value text, is_number boolean, was text, key text) returns text
language sql immutable parallel safe as $$
  select case when value = was then key when is_number then number_key(value) else left(value, 100) end $$;

-- Counts the values of attributes of very many different ones no more. Their counts stay until the next job, which
-- deletes them while nobody else writes.
create or replace function stop_counting(of_store uuid, of_slots smallint[]) returns void
language plpgsql set enable_seqscan = off as $$
begin
  with many as materialized (
    select d.name from attribute_definition d
    where d.store_uuid = of_store and d.slot = any(of_slots) and d.is_counted
      and (select count(*) from (
        select from value_count c where c.store_uuid = of_store and c.slot = d.slot limit 5001) few) > 5000
    for update skip locked
  )
  update attribute_definition d set is_counted = false
  where d.store_uuid = of_store and d.name = any(array(select name from many));
end $$;

-- Counts the values of the products that a job has come to, in the slots that it indexes. The codes are in order, and
-- follow those up to which it has counted; the caller holds the locks of definitions and of all products.
create or replace function count_product_values(of_store uuid, of_codes text[], by_job uuid) returns void
language plpgsql set enable_seqscan = off as $$
declare
  counted smallint[];
  -- An element of an array in an update of a table that is spread ends the server of Citus 13.2.
  last constant text := of_codes[cardinality(of_codes)];
begin
  select array_agg(d.slot) from attribute_definition d
    where d.store_uuid = of_store and d.indexed_by = by_job and d.slot is not null and d.is_counted into counted;
  insert into value_count as t (store_uuid, slot, value, products)
  select of_store, s.slot, left(v.texts[s.slot], 255), count(*)
  from product_value v cross join unnest(counted) s(slot)
  where v.store_uuid = of_store and v.product_code = any(of_codes) and v.texts[s.slot] is not null
  group by s.slot, left(v.texts[s.slot], 255)
  order by 2, 3
  on conflict (store_uuid, slot, value) do update set products = t.products + excluded.products;
  update attribute_definition d set indexed_to = last
  where d.store_uuid = of_store and d.indexed_by = by_job and d.slot is not null;
  perform stop_counting(of_store, counted);
end $$;

-- What is searched of a product beside its code; null if it has no such value.
create or replace function searched_text(attributes jsonb, names text[]) returns text
language sql immutable parallel safe as $$
  select string_agg(attributes ->> name, E'\x1f' order by name) from unnest(names) name $$;

-- Makes the rows of `product_text` those of the products, as refresh_product_values does.
create or replace function refresh_product_texts(of_store uuid, of_codes text[]) returns void
language plpgsql set enable_seqscan = off as $$
declare
  names constant text[] := array(
    select d.name from attribute_definition d where d.store_uuid = of_store and d.searchable);
begin
  if names = '{}' and not exists (select from product_text t where t.store_uuid = of_store) then
    return;
  end if;
  with new as materialized (
    select p.product_code, searched_text(p.attributes, names) as text
    from product p where p.store_uuid = of_store and p.product_code = any(of_codes)
  ), deleted as (
    delete from product_text t where t.store_uuid = of_store and t.product_code = any(of_codes)
      and t.product_code <> all(array(select product_code from new where text is not null))
  )
  insert into product_text as t (store_uuid, product_code, text)
  select of_store, product_code, text from new where text is not null
  order by product_code
  on conflict (store_uuid, product_code) do update set text = excluded.text where t.text <> excluded.text;
end $$;

-- Makes the rows of `product_value` and the counts of values those of products, as they are now, of the codes. Who
-- writes products calls it in the same transaction, in a statement after: the caller holds the locks of the products.
-- In a store without such attributes it only looks for rows of former ones. Its plans are kept, also when the tables
-- grow.
create or replace function refresh_product_values(of_store uuid, of_codes text[]) returns void
language plpgsql set enable_seqscan = off as $$
declare
  names text[];
  is_number boolean[];
  counted smallint[] := '{}';
  counted_to text[] := '{}';
  is_new boolean := false;
  definition record;
  changes record;
begin
  for definition in
    select d.slot, d.name, d.type, d.is_indexed, d.is_counted, d.indexed_to from attribute_definition d
    where d.store_uuid = of_store and d.slot is not null
  loop
    names[definition.slot] := definition.name;
    is_number[definition.slot] := definition.type = 'number';
    is_new := is_new or not definition.is_indexed;
    if definition.is_counted then
      counted := array_append(counted, definition.slot);
      counted_to := array_append(counted_to, definition.indexed_to);
    end if;
  end loop;
  perform refresh_product_texts(of_store, of_codes);
  if names is null and not exists (select from product_value v where v.store_uuid = of_store) then
    return;
  end if;

  with new as materialized (
    select p.product_code, p.status, array[
      p.attributes ->> names[1], p.attributes ->> names[2], p.attributes ->> names[3], p.attributes ->> names[4],
      p.attributes ->> names[5], p.attributes ->> names[6], p.attributes ->> names[7], p.attributes ->> names[8]] as texts
    from product p where p.store_uuid = of_store and p.product_code = any(of_codes) and names is not null
  ), old as materialized (
    -- Keys of a slot that is not indexed yet may be those of another attribute.
    select v.*, case when not is_new then v.texts end as kept
    from product_value v where v.store_uuid = of_store and v.product_code = any(of_codes)
  ), changed as materialized (
    select coalesce(n.product_code, o.product_code) as code, n.product_code is null as is_gone, n.status, n.texts, o.texts as was,
      value_key(n.texts[1], is_number[1], o.kept[1], o.k1) as k1, value_key(n.texts[2], is_number[2], o.kept[2], o.k2) as k2,
      value_key(n.texts[3], is_number[3], o.kept[3], o.k3) as k3, value_key(n.texts[4], is_number[4], o.kept[4], o.k4) as k4,
      value_key(n.texts[5], is_number[5], o.kept[5], o.k5) as k5, value_key(n.texts[6], is_number[6], o.kept[6], o.k6) as k6,
      value_key(n.texts[7], is_number[7], o.kept[7], o.k7) as k7, value_key(n.texts[8], is_number[8], o.kept[8], o.k8) as k8
    from new n full join old o on o.product_code = n.product_code
    where is_new or n.status is distinct from o.status or n.texts is distinct from o.texts
  ), deleted as (
    delete from product_value v
    where v.store_uuid = of_store and v.product_code = any(array(select code from changed where is_gone))
  ), written as (
    insert into product_value (store_uuid, product_code, status, texts, k1, k2, k3, k4, k5, k6, k7, k8)
    select of_store, code, status, texts, k1, k2, k3, k4, k5, k6, k7, k8 from changed where not is_gone
    order by code
    on conflict (store_uuid, product_code) do update set status = excluded.status, texts = excluded.texts,
      k1 = excluded.k1, k2 = excluded.k2, k3 = excluded.k3, k4 = excluded.k4,
      k5 = excluded.k5, k6 = excluded.k6, k7 = excluded.k7, k8 = excluded.k8
  ), difference as materialized (
    select s.slot, left(d.value, 255) as value, sum(d.products)::integer as products
    from changed c cross join unnest(counted, counted_to) s(slot, up_to)
      cross join lateral (values (c.was[s.slot], -1), (c.texts[s.slot], 1)) d(value, products)
    where (s.up_to is null or c.code <= s.up_to collate "C") and c.was[s.slot] is distinct from c.texts[s.slot]
      and d.value is not null
    group by s.slot, left(d.value, 255) having sum(d.products) <> 0
  ), totalled as (
    insert into value_count as t (store_uuid, slot, value, products)
    select of_store, slot, value, products from difference
    order by slot, value
    on conflict (store_uuid, slot, value) do update set products = t.products + excluded.products
  )
  select array_agg(slot) filter (where products < 0) as fewer_in, array_agg(value) filter (where products < 0) as fewer,
    array_agg(distinct slot) as slots, count(*) as number
  from difference into changes;

  if changes.fewer is not null then
    delete from value_count t using unnest(changes.fewer_in, changes.fewer) as f(slot, value)
    where t.store_uuid = of_store and t.slot = f.slot and t.value = f.value collate "C" and t.products = 0;
  end if;
  -- By one write in so many that this costs little.
  if changes.number > random() * 200 then
    perform stop_counting(of_store, changes.slots);
  end if;
end $$;

do $$
begin
  grant execute on function number_key(text), value_key(text, boolean, text, text), refresh_product_values(uuid, text[]),
    count_product_values(uuid, text[], uuid), stop_counting(uuid, smallint[]),
    searched_text(jsonb, text[]), refresh_product_texts(uuid, text[])
    to catalogue_tenant;
exception
  when undefined_object or insufficient_privilege then null;
end $$;
