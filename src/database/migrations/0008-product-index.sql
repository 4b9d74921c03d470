-- For filters, orders and facets: a row for each product of a store that declares filterable attributes, and for each
-- of these attributes one of eight slots. Only `text`, `float8` and times are compared: row-level security would keep a
-- condition by another operator, such as one of `numeric` or `like`, from an index.
create table product_index (
  store_uuid uuid not null,
  product_code text collate "C" not null,
  status text collate "C" not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The first 255 characters of the value, whatever the type.
  t1 text collate "C",
  t2 text collate "C",
  t3 text collate "C",
  t4 text collate "C",
  t5 text collate "C",
  t6 text collate "C",
  t7 text collate "C",
  t8 text collate "C",
  -- The value as a number, if the type is `number` and it is one.
  n1 float8,
  n2 float8,
  n3 float8,
  n4 float8,
  n5 float8,
  n6 float8,
  n7 float8,
  n8 float8,
  primary key (store_uuid, product_code)
) with (fillfactor = 80);

-- `updated_at` has no index: a change of it alone is a HOT update.
create index product_index_by_status on product_index (store_uuid, status, product_code);
create index product_index_by_creation on product_index (store_uuid, created_at, product_code);
do $$
begin
  for slot in 1..8 loop
    execute format('create index product_index_by_t%1$s on product_index (store_uuid, t%1$s, product_code)
      where t%1$s is not null', slot);
    execute format('create index product_index_by_n%1$s on product_index (store_uuid, n%1$s, product_code)
      where n%1$s is not null', slot);
  end loop;
end $$;

-- The attribute whose values a slot of `product_index` has, of products with codes up to `built_to`, which are `built`;
-- null: of all. `version` is another one after each change of rows. Only the holder of the store's lock of projections
-- writes it.
create table product_index_slot (
  store_uuid uuid not null,
  slot smallint not null check (slot between 1 and 8),
  name text collate "C" not null,
  is_number boolean not null,
  built_to text collate "C" default '',
  built integer not null default 0,
  version uuid,
  primary key (store_uuid, slot)
);
