-- Whether attributes are within a limit of bytes of JSON after others are merged in: not checked up to so many stored
-- bytes; the text is only made beyond an eighth of the limit. A function that is declared immutable, though how many
-- bytes are stored depends on their compression: in a CASE of a write, Citus runs no others.
create or replace function attributes_fit(stored jsonb, added jsonb, size_not_checked integer, max_size integer)
  returns boolean language plpgsql immutable as $$
begin
  return pg_column_size(stored) < size_not_checked or pg_column_size(stored || added) <= max_size / 8
    or octet_length((stored || added)::text) <= max_size;
end $$;

-- PUT of products in one round trip (update-products.ts). A function, because a statement does not see what was
-- committed after it began: the products must be read by a statement that begins after the locks were taken.
--
-- request: {
--   store,                            the store's UUID
--   validatedBy,                      the fingerprint of the definitions that the patches were validated by, or null
--   locks: [{store, number, shared}], advisory locks in the order to take them in
--   patches, statuses,                attributes and statuses to merge, by product code
--   refused,                          codes of products whose patch is bad: only their existence is looked up
--   sizeNotChecked, maxSize           see above
--   names                             the attributes in the patches, if few: the ledger's items are found faster
--   shard                             of the totals by status to add to (product-totals.ts)
--   origin                            who writes, as in record-changes.ts, or null: nothing is recorded
-- }
--
-- Returns no row if there is no such store; the store's definitions and their fingerprint if they are not those of
-- `validatedBy`, and nothing is written; else the codes of products that do not exist, and of those that would grow
-- beyond the limit. Products without a change are not written.
create or replace function merge_products(request jsonb)
  returns table (definitions text, fingerprint text, missing text[], too_large text[]) language plpgsql as $$
declare
  store constant uuid := request ->> 'store';
  patches constant jsonb := request -> 'patches';
  statuses constant jsonb := request -> 'statuses';
  size_not_checked constant integer := request -> 'sizeNotChecked';
  max_size constant integer := request -> 'maxSize';
  origin constant jsonb := request -> 'origin';
  names constant text[] := case jsonb_typeof(request -> 'names') when 'array'
    then array(select jsonb_array_elements_text(request -> 'names')) end;
  codes constant text[] := array(select jsonb_object_keys(request -> 'patches')) || array(select jsonb_array_elements_text(request -> 'refused'));
  indexed text[];
  slots smallint[];
  numbers boolean[];
  is_direct boolean;
  written_at constant timestamptz := now();
  part record;
  changed record;
begin
  -- Deletes nothing. In a function Citus opens a transaction on a server for the first statement that may write there:
  -- without one it would release the locks at once.
  delete from attribute_definition d where d.store_uuid = store and d.name = '';

  -- On the store's row, as all locks are taken (locks.ts).
  perform from store s where s.store_uuid = store and (
    select count(case when l.shared then pg_advisory_xact_lock_shared(l.store, l.number)::text else pg_advisory_xact_lock(l.store, l.number)::text end)
    from jsonb_to_recordset(request -> 'locks') as l(store integer, number integer, shared boolean)
  ) >= 0;
  if not found then
    return;
  end if;

  select coalesce(json_agg(json_build_object('name', d.name, 'type', d.type, 'allowedValues', d.allowed_values,
      'maxLength', d.max_length, 'pattern', d.pattern) order by d.name), '[]'),
      array_agg(d.name) filter (where d.slot is not null or d.searchable),
      array_agg(d.slot) filter (where d.slot is not null or d.searchable),
      array_agg(d.type = 'number') filter (where d.slot is not null or d.searchable),
      bool_and(d.is_indexed and not d.searchable) filter (where d.slot is not null or d.searchable)
    from attribute_definition d where d.store_uuid = store into definitions, indexed, slots, numbers, is_direct;
  fingerprint := md5(definitions);
  if request ->> 'validatedBy' is distinct from fingerprint then
    return next;
    return;
  end if;

  -- Patches are looked up by code and products by their index: in a join PostgreSQL may read the whole store for one
  -- product. Nothing is inserted in this statement: Citus runs the whole of it on the server of the store, but would
  -- plan inserts one by one and send their results to and fro. The first test of attributes_fit is repeated here: a
  -- call for each of 1,000 products takes 1 ms.
  for part in
    with old as materialized (
      select p.product_code, p.status, p.attributes, i.patch, statuses ->> p.product_code as new_status
      from product p cross join lateral (select patches -> p.product_code as patch offset 0) i
      where p.store_uuid = store and p.product_code = any(codes)
        and case when p.attributes @> i.patch then p.status <> statuses ->> p.product_code
          when i.patch is not null then pg_column_size(p.attributes) < size_not_checked
            or attributes_fit(p.attributes, i.patch, size_not_checked, max_size) end
    ), not_written as materialized (
      select code, (
        select coalesce(p.attributes @> (patches -> code)
          or attributes_fit(p.attributes, patches -> code, size_not_checked, max_size), true)
        from product p where p.store_uuid = store and p.product_code = code
      ) as fits
      from unnest(codes) code where code not in (select product_code from old)
    ), changed as (
      update product p set attributes = p.attributes || (patches -> p.product_code),
        status = coalesce(statuses ->> p.product_code, p.status), updated_at = greatest(written_at, p.updated_at)
      where p.store_uuid = store and p.product_code = any(array(select product_code from old))
    ), item as not materialized (
      select product_code, key, was, value from (
          select o.product_code, k as key, o.attributes ->> k as was, o.patch ->> k as value
          from old o cross join unnest(names) k where origin <> 'null' or indexed is not null
        union all
          select o.product_code, k, o.attributes ->> k, o.patch ->> k
          from old o cross join lateral jsonb_object_keys(o.patch) k
          where names is null and (origin <> 'null' or indexed is not null)
      ) i
      where was <> value or was is null and value is not null
    ), indexed_item as (
      select i.product_code, n.slot, i.was, i.value, value_key(i.was, n.is_number) as old_key,
        value_key(i.value, n.is_number) as new_key
      from item i join unnest(indexed, slots, numbers) n(name, slot, is_number) on n.name = i.key
      union all
      select product_code, 0::smallint, status, new_status, status, new_status
      from old where indexed is not null and status <> new_status
    ), size as (
      -- An estimate: it costs less than the items, or the keys where codes are short. Products are in several rows only
      -- if the code of one fills them.
      select 1 + sum(values_size) / 4000000 + sum(codes_size) / 2000000 as parts, max(codes_size) > 2000000 as is_divided
      from (
        select pg_column_size(patch) + case when pg_column_compression(attributes) is null then pg_column_size(attributes)
            else octet_length(attributes::text) end as values_size,
          octet_length(product_code) * case when names is not null then cardinality(names)
            when octet_length(product_code) < 100 then pg_column_size(patch) / 20
            else (select count(*)::integer from jsonb_object_keys(patch)) end as codes_size
        from old where origin <> 'null'
      ) o
    ), recorded as (
      select row_number() over (order by min(product_code)) as number, array_agg(product_code) as codes,
        array_agg(key) as keys, array_agg(was) as was, case when (select is_divided from size) then
            case row_number() over (order by min(product_code)) when 1 then (select count(*) from old) else 0 end
          else (
            select count(*) from old o cross join size
            where hashtext(o.product_code) % size.parts = hashtext(min(item.product_code)) % size.parts
          ) end as products
      from (
        select product_code, key, was from item
        union all
        select product_code, 'status', status from old where status <> new_status
      ) item
      where origin <> 'null'
      group by hashtext(case when (select is_divided from size) then product_code || key else product_code end)
        % (select parts from size)
    )
    -- One row for each of the ledger. The first one, which is there even if nothing is recorded, also has the counts of
    -- the request. Products that are not written do not exist (`fits` is null), are too large, or do not change.
    select *
    from (
      select 1::bigint as number, array_agg(code) filter (where fits is null) as missing,
        array_agg(code) filter (where not fits) as too_large,
        count(*) filter (where not fits or fits and not patches ? code) as failed
      from not_written
    ) n cross join (
      select array_agg(status) as total_statuses, array_agg(delta) as deltas from (
        select d.status, sum(d.delta) as delta
        from old o cross join lateral (values (o.status, -1), (o.new_status, 1)) d(status, delta)
        where statuses <> '{}' and o.status <> o.new_status
        group by d.status having sum(d.delta) <> 0
      ) d
    ) t cross join (
      select array_agg(product_code) as indexed_codes, array_agg(slot) as indexed_slots, array_agg(was) as old_values,
        array_agg(value) as new_values, array_agg(old_key) as old_keys, array_agg(new_key) as new_keys
      from indexed_item
    ) i cross join (
      select array_agg(product_code) as changed_codes from old
    ) o full join recorded r using (number)
  loop
    if part.number = 1 then
      changed := part;
    end if;
    if part.codes is not null then
      insert into change (store_uuid, request_id, token_id, actor, via, operation, reverts, kind, action, codes, keys, was,
        count, failed)
      values (store, origin ->> 'requestId', origin ->> 'tokenId', origin ->> 'actor', origin ->> 'via',
        origin ->> 'operation', origin ->> 'reverts', 'product', 'updated', part.codes, part.keys, part.was,
        part.products, coalesce(part.failed, 0));
    end if;
  end loop;
  perform mark_products(store, changed.changed_codes);
  missing := changed.missing;
  too_large := changed.too_large;

  if changed.total_statuses is not null then
    insert into product_total as t (store_uuid, shard, status, count)
    select store, (request -> 'shard')::smallint, d.status, d.delta
    from unnest(changed.total_statuses, changed.deltas) d(status, delta)
    order by d.status
    on conflict (store_uuid, shard, status) do update set count = t.count + excluded.count;
  end if;
  -- Products with the same status and the same indexed values have correct rows, or a job writes them.
  if changed.indexed_codes is not null and is_direct then
    perform change_product_values(store, statuses, patches, indexed,
      case when names is not null then array(select unnest(names) except select unnest(indexed)) end,
      changed.indexed_codes, changed.indexed_slots, changed.old_values, changed.new_values, changed.old_keys,
      changed.new_keys);
  elsif changed.indexed_codes is not null then
    perform refresh_product_values(store, changed.indexed_codes);
  end if;
  definitions := null;
  fingerprint := null;
  return next;
end $$;

-- PostgreSQL grants functions to everyone unless its default privileges say otherwise. Without the tenant role no grant
-- is needed.
do $$
begin
  grant execute on function merge_products(jsonb), attributes_fit(jsonb, jsonb, integer, integer) to catalogue_tenant;
exception
  when undefined_object or insufficient_privilege then null;
end $$;
