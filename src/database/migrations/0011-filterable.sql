-- A definition that is filterable has one of eight slots: the places of `product_value` that hold the attribute. Reads
-- use it from `is_indexed` on; the job `indexed_by` fills it. `is_counted`: `value_count` has the values of the slot,
-- of products up to the code `indexed_to`; null: of all.
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

-- The filterable attributes of each product, in stores that have any, beside the products: an index on their own table
-- would end its HOT updates. `texts`: the values by slot. `k`, by which a slot is ordered: of a number `number_key`, of
-- another value its first 100 characters, so that it fits into an index. Columns and no expressions: where row-level
-- security holds, no index of a function's results is used, and an index alone answers for no expression.
create table product_value (
  store_uuid uuid not null,
  product_code text collate "C" not null,
  status text not null,
  texts text[] collate "C" not null,
  k1 text collate "C", k2 text collate "C", k3 text collate "C", k4 text collate "C",
  k5 text collate "C", k6 text collate "C", k7 text collate "C", k8 text collate "C",
  primary key (store_uuid, product_code)
);

-- How many rows of `product_value` have which value, of a longer one the first 255 characters, in the slots of
-- attributes of up to some thousand values. A row of the count 0 may stay.
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
  for slot in 1..8 loop
    execute format('create index product_value_by_k%s on product_value (store_uuid, k%1$s, product_code)
      where k%1$s is not null', slot);
  end loop;
  foreach tenant_table in array array['product_value', 'value_count'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('create policy own_stores on %I using (
      store_uuid in (select unnest(current_setting(''catalogue.stores'')::uuid[])))', tenant_table);
  end loop;
end $$;

do $$
begin
  grant select, insert, update, delete on product_value, value_count to catalogue_tenant;
exception
  when undefined_object or insufficient_privilege then null;
end $$;
