-- Codes, ids and channels have the collation "C": the order of code points, whatever the server's locale.
--
-- There are no foreign keys: PostgreSQL would check each row of a bulk write on its own, and the check's share lock on
-- the store's row would make concurrent writers wait for each other. Stores are never deleted, writers of assets hold
-- their store's lock, and `catalog check` finds links without an asset. On Citus the rows of a store are on its server,
-- and `store` is on the coordinator: no statement joins it with them.

create table store (
  store_uuid uuid primary key,
  store_group uuid not null,
  store_name text not null,
  store_taxonomy text not null,
  region text[] not null,
  channels text[] not null,
  default_automation text[] not null,
  store_website text,
  created_at timestamptz not null default now()
);
create index store_by_group on store (store_group, store_uuid);

create table attribute_definition (
  store_uuid uuid not null,
  name text collate "C" not null,
  type text not null check (type in ('text', 'number', 'boolean', 'date', 'url', 'enum')),
  allowed_values text[],
  max_length integer,
  pattern text,
  filterable boolean not null default false,
  searchable boolean not null default false,
  primary key (store_uuid, name)
);

-- Takes locks (src/catalogue/locks.ts) in their order until the transaction ends if there is such a store, and returns
-- whether there is. Only the next statement may read what they protect. In a statement on a table of the store: on
-- Citus its server takes them, where transactions that it has prepared still hold theirs.
create function lock_store(of_store uuid, locks jsonb) returns boolean language plpgsql as $$
begin
  if not exists (select from store s where s.store_uuid = of_store) then
    return false;
  end if;
  perform from (select count(*) from attribute_definition d where d.store_uuid = of_store and d.name = '') one where (
    select count(case when l.shared then pg_advisory_xact_lock_shared(l.store, l.number)::text else pg_advisory_xact_lock(l.store, l.number)::text end)
    from jsonb_to_recordset(locks) as l(store integer, number integer, shared boolean)
  ) >= 0;
  return true;
end $$;

-- A page has room for the new version of a product, so that an update changes no index.
create table product (
  store_uuid uuid not null,
  product_code text collate "C" not null,
  status text not null check (status in ('active', 'new', 'problem', 'inactive', 'draft', 'under review')),
  attributes jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (store_uuid, product_code)
) with (fillfactor = 85);
-- For the order of creation. The condition, which all products meet, keeps other statements from it, as that of
-- `asset_by_url` does. The time never changes: updates stay HOT.
create index product_by_creation on product (store_uuid, created_at, product_code) where created_at > '-infinity';
-- For pages by offset of products with a status. Updates that leave the status as it is stay HOT.
create index product_by_status on product (store_uuid, status, product_code);

-- The attributes that products of a store have, or had: a table of products has a column for each.
create table attribute_name (
  store_uuid uuid not null,
  name text collate "C" not null,
  primary key (store_uuid, name)
);

-- How many products of a store have a status, as the sum over a few rows: concurrent writers seldom update the same
-- row.
create table product_total (
  store_uuid uuid not null,
  shard smallint not null,
  status text collate "C" not null,
  count integer not null,
  primary key (store_uuid, shard, status)
) with (fillfactor = 50);

-- The values of searchable attributes of each product that has any, as a search compares them. Beside the products: an
-- index on their own table would end its HOT updates.
create table product_text (
  store_uuid uuid not null,
  product_code text collate "C" not null,
  text text not null,
  primary key (store_uuid, product_code)
);

-- The attributes whose values are in the texts of a store, of products with codes up to `built_to`, which are `built`;
-- null: of all. Only what holds the store's lock of projections writes it.
create table product_text_state (
  store_uuid uuid primary key,
  names text[] collate "C" not null,
  built_to text collate "C" default '',
  built integer not null default 0
);

-- A text in lower case and composed. By ICU: the locale of the database may know ASCII only. ASCII is composed. A sigma
-- at the end of a word is that within: a part of a word must be found.
create function folded(value text) returns text language sql immutable parallel safe as $$
  select case when octet_length(value) = length(value) then lower(value collate "und-x-icu")
    else translate(normalize(lower(value collate "und-x-icu")), 'ς', 'σ') end $$;

create table asset (
  store_uuid uuid not null,
  asset_id text collate "C" not null,
  asset_format text collate "C" not null,
  url text collate "C" not null,
  url_hash bigint generated always as (hashtextextended(url, 0)) stored,
  created_at timestamptz not null default now(),
  primary key (store_uuid, asset_id)
);
-- By the hash: a URL can be too long for an index. In a column: where row-level security holds, the function would only
-- be called for rows that the policy has passed, so no index of its results would be used. Statements are planned for
-- the average store: among stores of a row each, any index that begins with the store seems as good as the right one.
-- `is not null` keeps PostgreSQL from this one, unless the hash is compared.
create index asset_by_url on asset (store_uuid, url_hash) where url_hash is not null;

-- Links an asset to the groups of a parent code and channel; `place` orders them and may have gaps.
create table asset_link (
  store_uuid uuid not null,
  parent_code text collate "C" not null,
  channel text collate "C" not null,
  asset_id text collate "C" not null,
  place integer not null,
  primary key (store_uuid, parent_code, channel, asset_id)
);
create index asset_link_by_asset on asset_link (store_uuid, asset_id) where asset_id is not null;

-- The read model: one row per group, with its assets in order as JSON text: pairs of asset id and URL.
create table asset_group (
  store_uuid uuid not null,
  channel text collate "C" not null,
  asset_format text collate "C" not null,
  parent_code text collate "C" not null,
  entries text not null,
  parent_hash bigint generated always as (hashtextextended(parent_code, 0)) stored,
  primary key (store_uuid, channel, asset_format, parent_code)
);
-- By the hash, so that no listing uses this index for its order of parent codes and filters out the other channels.
create index asset_group_by_parent on asset_group (store_uuid, parent_hash) where parent_hash is not null;

-- A listing's groups, cut into ranges of parent codes that begin with `first_code`: a page at a large offset is found
-- by their counts.
create table asset_group_range (
  store_uuid uuid not null,
  channel text collate "C" not null,
  asset_format text collate "C" not null,
  first_code text collate "C" not null,
  groups integer not null,
  primary key (store_uuid, channel, asset_format, first_code)
) with (fillfactor = 70);

-- A listing's total and version, each the sum over a few rows: concurrent writers seldom update the same row.
-- `most_assets`: how many the largest group has, or had: the maximum over the rows.
create table asset_group_total (
  store_uuid uuid not null,
  channel text collate "C" not null,
  asset_format text collate "C" not null,
  shard smallint not null,
  groups integer not null,
  version bigint not null,
  most_assets integer not null default 0,
  primary key (store_uuid, channel, asset_format, shard)
) with (fillfactor = 50);

-- Indexes of the parts of product codes and of searchable values, by store: a search by a rare part reads them. They
-- need the extensions pg_trgm and btree_gin, which the owner of a database may create. Returns whether there are any:
-- whoever creates the extensions later calls the function again. The condition, which all codes meet, keeps statements
-- from the index that do not state it, as that of `asset_by_url` does.
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

-- The codes of products that match a pattern, or whose texts do, found in these indexes; `max_count` empty texts if
-- there is none. With the rights of the owner and without other plans, as `changes_of` in 0005-changes.sql: LIKE is
-- not leakproof.
create function codes_like(store uuid, pattern text, has_texts boolean, max_count integer) returns setof text
language plpgsql stable rows 100 security definer
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set search_path from current as $$
begin
  if coalesce(current_setting('catalogue.stores', true), '') <> ''
    and store <> all (current_setting('catalogue.stores')::uuid[]) then
    return;
  end if;
  if to_regclass('product_by_code_part') is null then
    return query select '' from generate_series(1, max_count);
    return;
  end if;
  return query (
    select p.product_code from product p
    where p.store_uuid = store and p.product_code collate "default" ilike pattern
      and octet_length(p.product_code) > 0
    limit max_count
  ) union (
    select t.product_code from product_text t
    where has_texts and t.store_uuid = store and t.text like (select folded(pattern))
    limit max_count
  );
end $$;
revoke execute on function codes_like from public;
