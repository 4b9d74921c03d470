-- The values of the searchable attributes of each product that has any, beside the products: an index on their own
-- table would end its HOT updates.
create table product_text (
  store_uuid uuid not null,
  product_code text collate "C" not null,
  text text not null,
  primary key (store_uuid, product_code)
);
alter table product_text enable row level security;
create policy own_stores on product_text using (
  store_uuid in (select unnest(current_setting('catalogue.stores')::uuid[])));

-- Indexes of the parts of product codes and of these values, by store: a search by a rare part reads them. They need
-- the extensions pg_trgm and btree_gin, which the owner of a database may create. Returns whether there are any:
-- whoever creates the extensions later calls the function again. The condition, which all codes meet, keeps statements
-- from the index that do not state it: as 0001-catalogue.sql says, any index that begins with the store may seem as
-- good as the right one.
create function index_product_codes() returns boolean language plpgsql set search_path from current as $$
declare
  trigrams text;
begin
  begin
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;
  exception
    when lock_not_available or deadlock_detected then raise;
    when others then return false;
  end;
  select extnamespace::regnamespace from pg_extension where extname = 'pg_trgm' into trigrams;
  execute format('create index if not exists product_by_code_part on product
    using gin (store_uuid, (product_code collate "default") %s.gin_trgm_ops) with (gin_pending_list_limit = 1024)
    where octet_length(product_code) > 0', trigrams);
  execute format('create index if not exists product_text_by_part on product_text
    using gin (store_uuid, text %s.gin_trgm_ops) with (gin_pending_list_limit = 1024)', trigrams);
  return true;
end $$;
revoke execute on function index_product_codes from public;
do $$ begin
  perform index_product_codes();
end $$;

-- The codes of products that match a pattern, found in these indexes; `most` empty texts if there is none. With the
-- rights of the owner and without other plans, as `changes_of` in 0005-changes.sql: ILIKE is not leakproof.
create function codes_like(store uuid, pattern text, most integer) returns setof text
language plpgsql stable rows 100 security definer
set jit = off set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set search_path from current as $$
begin
  if coalesce(current_setting('catalogue.stores', true), '') <> ''
    and store <> all (current_setting('catalogue.stores')::uuid[]) then
    return;
  end if;
  if to_regclass('product_by_code_part') is null then
    return query select '' from generate_series(1, most);
    return;
  end if;
  return query (
    select p.product_code from product p
    where p.store_uuid = store and p.product_code collate "default" ilike pattern
      and octet_length(p.product_code) > 0
    limit most
  ) union (
    select t.product_code from product_text t where t.store_uuid = store and t.text ilike pattern limit most
  );
end $$;
revoke execute on function codes_like from public;
do $$
begin
  grant execute on function codes_like to catalogue_tenant;
  grant select, insert, update, delete on product_text to catalogue_tenant;
exception
  when undefined_object or insufficient_privilege then null;
end $$;
