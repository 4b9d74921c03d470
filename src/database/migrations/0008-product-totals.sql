-- How many products of a store have a status, as the sum over a few rows: concurrent writers seldom update the same
-- row.
create table product_total (
  store_uuid uuid not null,
  shard smallint not null,
  status text collate "C" not null,
  count integer not null,
  primary key (store_uuid, shard, status)
) with (fillfactor = 50);
do $$ begin
  insert into product_total (store_uuid, shard, status, count)
    select store_uuid, 0, status, count(*) from product group by store_uuid, status;
end $$;

-- As in 0002-access.sql.
alter table product_total enable row level security;
create policy own_stores on product_total using (
  store_uuid in (select unnest(current_setting('catalogue.stores')::uuid[])));
do $$
begin
  grant select, insert, update, delete on product_total to catalogue_tenant;
exception
  when undefined_object or insufficient_privilege then null;
end $$;
