-- A filterable definition has one of eight slots, which stands for the attribute in `product_key` and `value_count`.
-- Reads use the slot once `is_indexed` is true; the job `indexed_by` fills it. `is_counted`: `value_count` has the
-- values of the slot, of products up to the code `indexed_to`; null: of all products.
alter table attribute_definition
  add column filterable boolean not null default false,
  add column slot smallint,
  add column is_indexed boolean not null default false,
  add column is_counted boolean not null default false,
  add column indexed_by uuid,
  add column indexed_to text collate "C";
alter table attribute_definition add constraint attribute_definition_slot_check check (slot between 1 and 8);

-- The values of searchable attributes are in `product_text`. `searched_by`: the job that fills it, until
-- `is_searched`; `searched_with`: the names of all that were searchable when it began.
alter table attribute_definition
  add column searchable boolean not null default false,
  add column is_searched boolean not null default false,
  add column searched_with text[] collate "C",
  add column searched_by uuid;

alter table job drop constraint job_kind_check;
alter table job add constraint job_kind_check check (kind in ('import', 'export', 'index'));

-- The filterable attributes of each product, in stores that have any. They are not in `product` because an index on
-- `product` would prevent HOT updates; for the same reason `product_value` has no index but its primary key.
create table product_value (
  store_uuid uuid not null,
  product_code text collate "C" not null,
  status text not null,
  attributes jsonb not null,
  primary key (store_uuid, product_code)
) with (fillfactor = 80);

-- The index of filterable attributes: a row for each value; in slot 0 a row for the status of each product. Values are
-- ordered by `key`: `number_key` of a number, the first 100 characters of another value. A change of one attribute
-- writes one row.
create table product_key (
  store_uuid uuid not null,
  slot smallint not null,
  key text collate "C" not null,
  product_code text collate "C" not null,
  primary key (store_uuid, slot, key, product_code)
);

-- The number of products that have a value, cut to 255 characters, for attributes of at most some thousand values. Rows
-- with the count 0 may remain.
create table value_count (
  store_uuid uuid not null,
  slot smallint not null,
  value text collate "C" not null,
  products integer not null,
  primary key (store_uuid, slot, value)
) with (fillfactor = 70);

-- As in 0002-access.sql.
do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['product_value', 'product_key', 'value_count'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('create policy own_stores on %I using (
      store_uuid in (select unnest(current_setting(''catalogue.stores'')::uuid[])))', tenant_table);
  end loop;
end $$;

do $$
begin
  grant select, insert, update, delete on product_value, product_key, value_count to catalogue_tenant;
exception
  when undefined_object or insufficient_privilege then null;
end $$;

-- For the order of creation. The condition, which all products meet, keeps other statements from it, as in
-- 0010-code-search.sql. The time never changes: updates stay HOT.
create index product_by_creation on product (store_uuid, created_at, product_code) where created_at > '-infinity';
