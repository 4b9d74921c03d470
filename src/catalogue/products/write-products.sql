-- Keeps the names of attributes of products. In the order of the names: so no two writers wait for each other.
create or replace function keep_attribute_names(store uuid, names text[]) returns void language plpgsql as $$
begin
  insert into attribute_name (store_uuid, name)
  select store, n.name from unnest(names) n(name)
  where not exists (select from attribute_name a where a.store_uuid = store and a.name = n.name collate "C")
  order by n.name collate "C"
  on conflict (store_uuid, name) do nothing;
end $$;

-- Adds differences to the totals by status, in one of 16 rows of each, which is that of the session: few writers wait
-- for each other. A call takes its rows in order; transactions of several calls that deadlock are repeated.
create or replace function count_products(store uuid, statuses text[], deltas bigint[]) returns void
language plpgsql as $$
declare
  of_shard constant smallint := pg_backend_pid() % 16;
begin
  insert into product_total as t (store_uuid, shard, status, count)
  select store, of_shard, d.status, sum(d.delta) from unnest(statuses, deltas) d(status, delta)
  group by d.status having sum(d.delta) <> 0
  order by d.status
  on conflict (store_uuid, shard, status) do update set count = t.count + excluded.count;
end $$;

-- Every write of products, with its rows of the ledger and what is derived from products, in one round trip
-- (write-products.ts). A function, because a statement does not see what was committed after it began: the products
-- must be read by a statement that begins after the locks were taken.
--
-- locks: [{store, number, shared}], advisory locks in the order to take them in; null: the caller has taken them
-- request: {
--   validatedBy,                      the fingerprint of the definitions that the patches were validated by; null:
--                                     these are not known; left out: they do not matter
--   patches,                          by product code, what to merge into its attributes
--   removes,                          whether patches have nulls, which remove attributes
--   statuses, createdAts,             by product code; times as seconds since 1970
--   creates, updates,                 whether products without such a time are created; whether others are changed
--   refused,                          codes of products whose patch is bad: only their existence is looked up
--   failed                            how many other items of the request have failed
--   maxSize                           of a product's attributes, in bytes of JSON
--   names                             of attributes that have values; left out: they are not new to the store
--   mostNames                         how many attributes a patch has at most; left out: as its size allows
--   origin                            who writes, as in catalogue.ts; left out: nothing is recorded
-- }
--
-- Returns no row if there is no such store; the store's definitions and their fingerprint if they are not those of
-- `validatedBy`, and nothing is written; else the codes of products that were created or changed, of those that did not
-- exist, and of those that would grow beyond the limit. Products without a change are not written.
create or replace function write_products(store uuid, locks jsonb, request jsonb) returns table (definitions text,
  fingerprint text, created text[], updated text[], missing text[], too_large text[]) language plpgsql as $$
declare
  patches constant jsonb := request -> 'patches';
  statuses constant jsonb := request -> 'statuses';
  created_ats constant jsonb := coalesce(request -> 'createdAts', '{}');
  removes constant boolean := coalesce(request -> 'removes', 'false');
  creates constant boolean := coalesce(request -> 'creates', 'false');
  updates constant boolean := coalesce(request -> 'updates', 'false');
  max_size constant integer := request -> 'maxSize';
  most_names constant integer := request -> 'mostNames';
  origin constant jsonb := nullif(request -> 'origin', 'null');
  codes constant text[] := array(select jsonb_object_keys(patches)) || array(select jsonb_array_elements_text(request -> 'refused'));
  written_at constant timestamptz := now();
  failed integer := coalesce(request -> 'failed', '0');
  result record;
  products integer;
  total_statuses text[];
  deltas bigint[];
  counted text[] := '{}';
begin
  -- 1. Takes the locks.
  if locks is not null and not lock_store(store, locks) then
    return;
  end if;

  -- 2. Checks that the patches were validated by the definitions that the store has now.
  select coalesce(json_agg(json_build_object('name', d.name, 'type', d.type, 'allowedValues', d.allowed_values,
      'maxLength', d.max_length, 'pattern', d.pattern) order by d.name), '[]')
    from attribute_definition d where d.store_uuid = store into definitions;
  fingerprint := md5(definitions);
  if request ? 'validatedBy' and request ->> 'validatedBy' is distinct from fingerprint then
    return next;
    return;
  end if;

  -- 3. Classifies the products in one statement, and records what it finds in the ledger. Patches are looked up by code
  -- and products by their index: in a join PostgreSQL may read the whole store for one product. Nothing is inserted in
  -- this statement: Citus runs the whole of it on the server of the store, but would plan inserts one by one and send
  -- their results to and fro. Attributes that take fewer stored bytes than 2,000, also compressed, are so small that
  -- they are not measured; the text is only made beyond an eighth of the limit.
  for result in
    with old as materialized (
      select p.product_code as code, p.status, p.attributes, i.patch,
        statuses ->> p.product_code as new_status,
        case when i.patch is null then 'refused'
          when not updates then 'unchanged'
          when case when removes then p.attributes = jsonb_strip_nulls(p.attributes || i.patch) else p.attributes @> i.patch end
            then case when p.status <> statuses ->> p.product_code then 'updated' else 'unchanged' end
          when pg_column_size(p.attributes) < 2000 or pg_column_size(p.attributes || i.patch) <= max_size / 8
            or octet_length(jsonb_strip_nulls(p.attributes || i.patch)::text) <= max_size then 'updated'
          else 'too large' end as outcome,
        case when pg_column_compression(p.attributes) is null then pg_column_size(p.attributes) else octet_length(p.attributes::text) end
          + octet_length(p.product_code) * least(pg_column_size(i.patch) / 12, most_names) as bytes
      from product p cross join lateral (select patches -> p.product_code as patch offset 0) i
      where p.store_uuid = store and p.product_code = any(codes)
    ), absent as materialized (
      select code, creates and patches ? code or created_ats ? code as is_new from unnest(codes) code
      where code not in (select code from old)
    ), item as not materialized (
      select 'updated' as action, code, key, was, bytes from (
        -- Large attributes are unpacked once for a product, not once for each key.
        select o.code, k as key, a.attributes ->> k as was, o.patch ->> k as value, bytes
        from old o cross join lateral (select o.attributes || '{}' as attributes offset 0) a
          cross join lateral jsonb_object_keys(o.patch) k
        where o.outcome = 'updated'
      ) i
      where was is distinct from value
      union all
      select 'updated', code, 'status', status, bytes from old
      where statuses <> '{}' and outcome = 'updated' and status <> new_status
    ), size as materialized (
      -- A reader decodes a row of the ledger whole: it has about 2 MB. An estimate takes less time than the items.
      select 1 + (coalesce(sum(bytes), 0) + coalesce((select sum(octet_length(code)) from absent where is_new), 0)) / 2000000 as parts
      from old where outcome = 'updated'
    ), recorded as (
      select action, part, array_agg(code) as codes, array_agg(key) as keys, array_agg(was) as was
      from (
        select *, case when parts = 1 then 0 else hashtext(case when bytes > 2000000 then code || coalesce(key, '') else code end) % parts end as part
        from (
          select action, code, key, was, bytes from item
          union all
          select 'created', code, null, null, 0 from absent where is_new
        ) i cross join size
        where origin is not null
      ) i
      group by action, part order by action, part
    )
    -- One row for each of the ledger, or one if nothing is recorded. All have the results of the request.
    select *
    from (
      select array_agg(code) filter (where outcome = 'updated') as updated,
        array_agg(code) filter (where outcome = 'too large') as too_large,
        count(*) filter (where outcome in ('too large', 'refused')) as failed
      from old
    ) o cross join (
      select array_agg(code) as missing, array_agg(code) filter (where is_new) as created from absent
    ) a cross join (
      select array_agg(status) as total_statuses, array_agg(delta) as deltas from (
        select status, sum(delta) as delta from (
          select coalesce(statuses ->> code, 'new') as status, 1 as delta from absent where is_new
          union all
          select d.status, d.delta from old o cross join lateral (values (o.status, -1), (o.new_status, 1)) d(status, delta)
          where statuses <> '{}' and outcome = 'updated' and o.status <> o.new_status
        ) d
        group by status
      ) d
    ) t cross join size left join recorded on true
  loop
    created := result.created;
    updated := result.updated;
    missing := result.missing;
    too_large := result.too_large;
    total_statuses := result.total_statuses;
    deltas := result.deltas;
    if result.codes is not null then
      products := case
        -- Several rows may have items of a product: the first one counts it.
        when result.parts > 1 then (select count(*) from (select unnest(result.codes) except select unnest(counted)) c)
        else cardinality(case result.action when 'created' then result.created else result.updated end)
      end;
      counted := counted || case when result.parts > 1 then result.codes end;
      perform record_change(store, origin, 'product', result.action, result.codes, result.keys, result.was, products,
        coalesce(result.failed + failed, 0)::integer);
      failed := null;
    end if;
  end loop;

  -- 4. Writes the names, the queue of changed products, the products and the totals. Names of products that are not
  -- written would stay as columns of exports: new ones are looked for in the patches.
  if exists (
    select from jsonb_array_elements_text(request -> 'names') n(name)
    where not exists (select from attribute_name a where a.store_uuid = store and a.name = n.name collate "C")
  ) then
    perform keep_attribute_names(store, array(select distinct a.name from unnest(updated || created) code
      cross join lateral jsonb_each_text(patches -> code) a(name, value) where a.value <> ''));
  end if;

  if updated is not null then
    perform mark_products(store, updated);
    update product p set attributes = case when removes then jsonb_strip_nulls(p.attributes || (patches -> p.product_code))
        else p.attributes || (patches -> p.product_code) end,
      status = coalesce(statuses ->> p.product_code, p.status),
      created_at = coalesce(to_timestamp((created_ats -> p.product_code)::float8), p.created_at),
      updated_at = greatest(written_at, p.updated_at)
    where p.store_uuid = store and p.product_code = any(updated);
  end if;
  if created is not null then
    perform mark_products(store, created, 1);
    insert into product (store_uuid, product_code, status, attributes, created_at, updated_at)
    select store, code, coalesce(statuses ->> code, 'new'),
      case when removes then jsonb_strip_nulls(patches -> code) else patches -> code end, coalesce(at, written_at),
      greatest(at, written_at)
    from unnest(created) code cross join lateral (select to_timestamp((created_ats -> code)::float8) as at) t
    order by code collate "C";
  end if;
  if total_statuses is not null then
    perform count_products(store, total_statuses, deltas);
  end if;
  definitions := null;
  fingerprint := null;
  return next;
end $$;

-- Deletes products; the caller holds their locks. Returns the codes of those that existed, and a fingerprint of them as
-- they were.
create or replace function delete_products(store uuid, codes text[], origin jsonb)
returns table (deleted text[], fingerprint text) language plpgsql as $$
declare
  result record;
  statuses text[] := '{}';
begin
  deleted := '{}';
  fingerprint := '';
  for result in
    select array_agg(code) as codes, array_agg(status) as statuses, array_agg(was) as was, md5(string_agg(code || was, ',' order by code)) as state
    from (
      select *, sum(octet_length(was)) over (order by code) / 2000000 as part
      from (
        select p.product_code as code, p.status, json_build_object('status', p.status, 'attributes', p.attributes,
          'createdAt', p.created_at, 'updatedAt', p.updated_at)::text as was
        from product p where p.store_uuid = store and p.product_code = any(codes)
      ) p
    ) p
    group by part order by part
  loop
    perform record_change(store, origin, 'product', 'deleted', result.codes, null, result.was, cardinality(result.codes), 0);
    statuses := statuses || result.statuses;
    deleted := deleted || result.codes;
    fingerprint := md5(fingerprint || result.state);
  end loop;
  perform count_products(store, statuses, array_fill(-1::bigint, array[cardinality(statuses)]));
  perform mark_products(store, deleted, -1);
  delete from product p where p.store_uuid = store and p.product_code = any(deleted);
  return next;
end $$;
