-- Returns a text that sorts by code points as the number sorts: the exponent and the digits, complemented if the
-- number is negative. Null if the value is not a number or has more than 1,000 characters.
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

-- Returns the key of a value in `product_key`.
create or replace function value_key(value text, is_number boolean) returns text
language sql immutable parallel safe as $$
  select case when is_number then number_key(value) else left(value, 100) end $$;

-- Stops counting the values of attributes that have more than 5,000 different ones. The next index job deletes their
-- counts.
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

-- Adds a batch of products to the counts of the slots that a job indexes. The codes are sorted and come after those of
-- the previous batch. The caller holds the locks of definitions and of all products.
create or replace function count_product_values(of_store uuid, of_codes text[], by_job uuid) returns void
language plpgsql set enable_seqscan = off as $$
declare
  counted smallint[];
  names text[];
  -- An element of an array in an update of a table that is spread ends the server of Citus 13.2.
  last constant text := of_codes[cardinality(of_codes)];
begin
  select array_agg(d.slot), array_agg(d.name) from attribute_definition d
    where d.store_uuid = of_store and d.indexed_by = by_job and d.slot is not null and d.is_counted
    into counted, names;
  insert into value_count as t (store_uuid, slot, value, products)
  select of_store, d.slot, left(v.attributes ->> d.name, 255), count(*)
  from product_value v cross join unnest(counted, names) d(slot, name)
  where v.store_uuid = of_store and v.product_code = any(of_codes) and v.attributes ? d.name
  group by d.slot, left(v.attributes ->> d.name, 255)
  order by 2, 3
  on conflict (store_uuid, slot, value) do update set products = t.products + excluded.products;
  update attribute_definition d set indexed_to = last
  where d.store_uuid = of_store and d.indexed_by = by_job and d.slot is not null;
  perform stop_counting(of_store, counted);
end $$;

-- Returns the values of a product's searchable attributes as one text, or null if it has none.
create or replace function searched_text(attributes jsonb, names text[]) returns text
language sql immutable parallel safe as $$
  select string_agg(attributes ->> name, E'\x1f' order by name) from unnest(names) name $$;

-- Updates `product_text` for products that were written or deleted.
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

-- Updates `product_key` and `value_count` for changed values: the product's code, the slot, the value before and after,
-- null for none, and the keys of both. A slot that no job has claimed yet has no keys; a job that fills a slot inserts
-- keys of values that have not changed. Slot 0 has the statuses: the job of a store's first filterable attribute fills
-- it. Rows are found by their keys: a kept plan, or another join, might read all rows of a store.
create or replace function index_values(of_store uuid, codes text[], slots smallint[], old_values text[],
  new_values text[], old_keys text[], new_keys text[]) returns void
language plpgsql
set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  filled smallint[];
  counted smallint[];
  -- The slots that one job fills and counts, up to a code.
  counted_partly smallint[];
  counted_to text;
  changes record;
begin
  select coalesce(array_agg(d.slot) filter (where not d.is_indexed), '{}')
        || case when bool_or(d.is_indexed) then '{}'::smallint[] else '{0}' end,
      array_agg(d.slot) filter (where d.is_counted and d.is_indexed),
      array_agg(d.slot) filter (where d.is_counted and not d.is_indexed),
      max(d.indexed_to) filter (where d.is_counted and not d.is_indexed)
    from attribute_definition d where d.store_uuid = of_store and d.slot is not null
    into filled, counted, counted_partly, counted_to;

  if old_keys <> new_keys then
    update product_key k set key = i.new_key
    from unnest(codes, slots, old_keys, new_keys) as i(code, slot, old_key, new_key)
    where k.store_uuid = of_store and k.slot = i.slot and k.key = i.old_key collate "C"
      and k.product_code = i.code collate "C" and i.old_key <> i.new_key collate "C";
  end if;
  if filled <> '{}' or array_position(old_keys, null) is not null then
    insert into product_key (store_uuid, slot, key, product_code)
    select of_store, slot, new_key, code
    from unnest(codes, slots, old_keys, new_keys) i(code, slot, old_key, new_key)
    where new_key is not null and (old_key is null or slot = any(filled))
    order by slot, new_key collate "C", code collate "C"
    on conflict (store_uuid, slot, key, product_code) do nothing;
  end if;
  if array_position(new_keys, null) is not null then
    delete from product_key k
    using unnest(codes, slots, old_keys, new_keys) as i(code, slot, old_key, new_key)
    where k.store_uuid = of_store and k.slot = i.slot and k.key = i.old_key collate "C"
      and k.product_code = i.code collate "C" and i.new_key is null;
  end if;

  with difference as materialized (
    select slot, left(value, 255) as value, sum(products)::integer as products
    from (
        select slot, value, -count(*) as products from unnest(codes, slots, old_values) i(code, slot, value)
        where slot = any(counted) or slot = any(counted_partly) and code <= counted_to collate "C"
        group by slot, value
      union all
        select slot, value, count(*) from unnest(codes, slots, new_values) i(code, slot, value)
        where slot = any(counted) or slot = any(counted_partly) and code <= counted_to collate "C"
        group by slot, value
    ) d
    where value is not null
    group by slot, left(value, 255) having sum(products) <> 0
  ), counts_written as (
    insert into value_count as t (store_uuid, slot, value, products)
    select of_store, slot, value, products from difference
    order by slot, value collate "C"
    on conflict (store_uuid, slot, value) do update set products = t.products + excluded.products
  )
  select array_agg(slot) filter (where products < 0) as fewer_in, array_agg(value) filter (where products < 0) as fewer,
    array_agg(distinct slot) as slots, count(*) as number
  from difference into changes;
  if changes.fewer is not null then
    delete from value_count t using unnest(changes.fewer_in, changes.fewer) as f(slot, value)
    where t.store_uuid = of_store and t.slot = f.slot and t.value = f.value collate "C" and t.products = 0;
  end if;
  -- Counting the different values is expensive: a write does it with a probability that grows with its changes.
  if changes.number > random() * 200 then
    perform stop_counting(of_store, changes.slots);
  end if;
end $$;

-- Updates `product_value` and its index for existing products, in a store whose filterable attributes are all indexed.
-- `statuses`, `patches`: by the codes of products. `names`: the indexed attributes; `others`: the attributes in patches
-- that are not indexed, if they are few. The rest is passed to `index_values`.
create or replace function change_product_values(of_store uuid, statuses jsonb, patches jsonb, names text[],
  others text[], codes text[], slots smallint[], old_values text[], new_values text[], old_keys text[], new_keys text[])
  returns void
language plpgsql
set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  update product_value v set status = coalesce(statuses ->> v.product_code, v.status),
    attributes = v.attributes || case when others is not null then (patches -> v.product_code) - others else (
      select coalesce(jsonb_object_agg(name, value), '{}') from jsonb_each(patches -> v.product_code) p(name, value)
      where name = any(names)
    ) end
  where v.store_uuid = of_store and v.product_code = any(array(select unnest(codes)));
  perform index_values(of_store, codes, slots, old_values, new_values, old_keys, new_keys);
end $$;

-- Inserts the values of products that have none, as those of a first import, with their keys and counts. Slot by slot:
-- keys of one slot are near each other in the index.
create or replace function insert_product_values(of_store uuid, of_codes text[]) returns void
language plpgsql set enable_seqscan = off as $$
declare
  names text[];
  keyed record;
  counted record;
  number bigint;
begin
  select array_agg(d.name) from attribute_definition d where d.store_uuid = of_store and d.slot is not null into names;
  select array_agg(d.name) as names, array_agg(d.slot) as slots, array_agg(d.type = 'number') as numbers
    from attribute_definition d
    where d.store_uuid = of_store and d.slot is not null and (d.is_indexed or d.indexed_by is not null) into keyed;
  select array_agg(d.name) as names, array_agg(d.slot) as slots, array_agg(d.indexed_to) as up_to
    from attribute_definition d
    where d.store_uuid = of_store and d.slot is not null and d.is_counted into counted;
  with new as materialized (
    select p.product_code, p.status,
      jsonb_strip_nulls(jsonb_object(names, array(select p.attributes ->> unnest(names)))) as attributes
    from product p where p.store_uuid = of_store and p.product_code = any(of_codes)
  ), values_written as (
    insert into product_value (store_uuid, product_code, status, attributes)
    select of_store, product_code, status, attributes from new
  ), keys_written as (
    insert into product_key (store_uuid, slot, key, product_code)
    select of_store, slot, key, product_code
    from (
        select d.slot, n.key, n.product_code
        from unnest(keyed.names, keyed.slots, keyed.numbers) d(name, slot, is_number) cross join lateral (
          select value_key(attributes ->> d.name, d.is_number) as key, product_code from new offset 0
        ) n
      union all
        select 0::smallint, status, product_code from new where keyed.slots is not null
    ) i
    where key is not null
  ), counted_value as materialized (
    select d.slot, n.value, count(*)::integer as products
    from unnest(counted.names, counted.slots, counted.up_to) d(name, slot, up_to) cross join lateral (
      select left(attributes ->> d.name, 255) as value from new
      where d.up_to is null or product_code <= d.up_to collate "C"
      offset 0
    ) n
    where n.value is not null
    group by d.slot, n.value
  ), counts_written as (
    insert into value_count as t (store_uuid, slot, value, products)
    select of_store, slot, value, products from counted_value
    order by slot, value collate "C"
    on conflict (store_uuid, slot, value) do update set products = t.products + excluded.products
  )
  select count(*) from counted_value into number;
  if number > random() * 200 then
    perform stop_counting(of_store, counted.slots);
  end if;
end $$;

-- Updates `product_value`, its index and `product_text` for products that were written or deleted earlier in the
-- transaction, which holds their locks. `enable_seqscan` is off because the plans are kept while the tables grow.
create or replace function refresh_product_values(of_store uuid, of_codes text[]) returns void
language plpgsql set enable_seqscan = off as $$
declare
  names text[];
  slots smallint[];
  new_slots smallint[];
  -- The slots that have keys, and those of numbers.
  keyed smallint[];
  numbers smallint[];
  old_codes text[];
  changes record;
begin
  perform refresh_product_texts(of_store, of_codes);
  old_codes := array(
    select v.product_code from product_value v where v.store_uuid = of_store and v.product_code = any(of_codes));
  select array_agg(d.name), array_agg(d.slot), array_agg(d.slot) filter (where not d.is_indexed),
      array_agg(d.slot) filter (where d.is_indexed or d.indexed_by is not null) || 0::smallint,
      array_agg(d.slot) filter (where d.type = 'number')
    from attribute_definition d where d.store_uuid = of_store and d.slot is not null
    into names, slots, new_slots, keyed, numbers;
  if names is not null then
    perform insert_product_values(of_store, array(select unnest(of_codes) except select unnest(old_codes)));
  end if;
  if old_codes = '{}' then
    return;
  end if;

  with new as materialized (
    select p.product_code, p.status, (
        select coalesce(jsonb_object_agg(name, p.attributes -> name), '{}') from unnest(names) name where p.attributes ? name
      ) as attributes
    from product p where p.store_uuid = of_store and p.product_code = any(old_codes) and names is not null
  ), old as materialized (
    select v.product_code, v.status, v.attributes
    from product_value v where v.store_uuid = of_store and v.product_code = any(old_codes)
  ), changed as materialized (
    select o.product_code as code, n.product_code is null as is_gone, n.status, n.attributes,
      o.status as old_status, o.attributes as was, n.status is distinct from o.status or n.attributes is distinct from o.attributes as is_changed
    from new n full join old o on o.product_code = n.product_code
    where new_slots is not null or n.status is distinct from o.status or n.attributes is distinct from o.attributes
  ), deleted as (
    delete from product_value v
    where v.store_uuid = of_store and v.product_code = any(array(select code from changed where is_gone))
  ), values_written as (
    insert into product_value (store_uuid, product_code, status, attributes)
    select of_store, code, status, attributes from changed where is_changed and not is_gone
    order by code
    on conflict (store_uuid, product_code) do update set status = excluded.status, attributes = excluded.attributes
  )
  select array_agg(code) as codes, array_agg(slot) as slots, array_agg(old_value) as old_values,
    array_agg(new_value) as new_values,
    array_agg(case when slot = any(keyed) then value_key(old_value, (slot = any(numbers)) is true) end) as old_keys,
    array_agg(case when slot = any(keyed) then value_key(new_value, (slot = any(numbers)) is true) end) as new_keys
  from (
      select c.code, d.slot, c.was ->> d.name as old_value, c.attributes ->> d.name as new_value
      from changed c cross join unnest(names, slots) d(name, slot)
      where c.was ->> d.name is distinct from c.attributes ->> d.name or d.slot = any(new_slots) and c.attributes ? d.name
    union all
      select code, 0::smallint, old_status, status from changed where old_status is distinct from status or new_slots is not null
  ) i
  into changes;

  if changes.codes is not null then
    perform index_values(of_store, changes.codes, changes.slots, changes.old_values, changes.new_values,
      changes.old_keys, changes.new_keys);
  end if;
end $$;

do $$
begin
  grant execute on function number_key(text), value_key(text, boolean), refresh_product_values(uuid, text[]),
    insert_product_values(uuid, text[]),
    index_values(uuid, text[], smallint[], text[], text[], text[], text[]),
    change_product_values(uuid, jsonb, jsonb, text[], text[], text[], smallint[], text[], text[], text[], text[]),
    count_product_values(uuid, text[], uuid), stop_counting(uuid, smallint[]),
    searched_text(jsonb, text[]), refresh_product_texts(uuid, text[])
    to catalogue_tenant;
exception
  when undefined_object or insufficient_privilege then null;
end $$;
