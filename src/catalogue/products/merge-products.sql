-- PUT of products in one round trip (update-products.ts). A function, because a statement does not see what was
-- committed after it began: the products must be read by a statement that begins after the locks were taken.
--
-- request: {
--   store,                            the store's UUID
--   validatedBy,                      the fingerprint of the definitions that the patches were validated by, or null
--   locks: [{store, number, shared}], advisory locks in the order to take them in
--   patches, statuses,                attributes and statuses to merge, by product code
--   refused,                          codes of products whose patch is bad: only their existence is looked up
--   sizeNotChecked, maxSize           up to so many stored bytes the size after the merge is not checked; its limit in bytes of JSON (the text is only made beyond an eighth of it)
-- }
--
-- Returns no row if there is no such store; the store's definitions and their fingerprint if they are not those of
-- `validatedBy`, and nothing is written; else the codes of products that do not exist, and of those that would grow beyond
-- the limit. Products without a change are not written.
create or replace function merge_products(request jsonb)
  returns table (definitions text, fingerprint text, missing text[], too_large text[]) language plpgsql as $$
declare
  store constant uuid := request ->> 'store';
  patches constant jsonb := request -> 'patches';
  statuses constant jsonb := request -> 'statuses';
  size_not_checked constant integer := request -> 'sizeNotChecked';
  max_size constant integer := request -> 'maxSize';
  codes constant text[] := array(select jsonb_object_keys(request -> 'patches')) || array(select jsonb_array_elements_text(request -> 'refused'));
begin
  perform from store s where s.store_uuid = store;
  if not found then
    return;
  end if;

  select coalesce(json_agg(json_build_object('name', d.name, 'type', d.type, 'allowedValues', d.allowed_values,
      'maxLength', d.max_length, 'pattern', d.pattern) order by d.name), '[]')
    from attribute_definition d where d.store_uuid = store into definitions;
  fingerprint := md5(definitions);
  if request ->> 'validatedBy' is distinct from fingerprint then
    return next;
    return;
  end if;

  perform case when l.shared then pg_advisory_xact_lock_shared(l.store, l.number) else pg_advisory_xact_lock(l.store, l.number) end
    from jsonb_to_recordset(request -> 'locks') as l(store integer, number integer, shared boolean);

  -- Patches are looked up by code and products by their index: in a join PostgreSQL may read the whole store for one
  -- product. The store is a subquery, so that the plan does not depend on its statistics, which lack a store that was
  -- created since they were collected.
  return query
    with changed as (
      update product p set attributes = p.attributes || (patches -> p.product_code),
        status = coalesce(statuses ->> p.product_code, p.status), updated_at = now()
      where p.store_uuid = (select store) and p.product_code = any(codes)
        and case when p.attributes @> (patches -> p.product_code) then p.status <> statuses ->> p.product_code
          when patches ? p.product_code then pg_column_size(p.attributes) < size_not_checked
            or pg_column_size(p.attributes || (patches -> p.product_code)) <= max_size / 8
            or octet_length((p.attributes || (patches -> p.product_code))::text) <= max_size end
      returning p.product_code
    ), unchanged as (
      select code, (
        select coalesce(p.attributes @> (patches -> code) or pg_column_size(p.attributes) < size_not_checked
          or pg_column_size(p.attributes || (patches -> code)) <= max_size / 8
          or octet_length((p.attributes || (patches -> code))::text) <= max_size, true)
        from product p where p.store_uuid = (select store) and p.product_code = code
      ) as fits
      from unnest(codes) code where code not in (select product_code from changed)
    )
    select null::text, null::text, array_agg(code) filter (where fits is null), array_agg(code) filter (where not fits)
    from unchanged;
end $$;

-- PostgreSQL grants functions to everyone unless its default privileges say otherwise. Without the tenant role no grant
-- is needed.
do $$
begin
  grant execute on function merge_products(jsonb) to catalogue_tenant;
exception
  when undefined_object or insufficient_privilege then null;
end $$;
