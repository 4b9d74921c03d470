-- The products that were changed since the tables that are derived from them were: a row for each write, by
-- `mark_products`, in its transaction. What keeps these tables (src/catalogue/projections) deletes the rows and makes
-- the tables what the products are then. All that is committed and not yet applied is a row here.
create sequence product_dirty_seq;
create table product_dirty (
  store_uuid uuid not null,
  seq bigint not null default nextval('product_dirty_seq'),
  -- `infinity` and no codes: something is to be built for the store.
  at timestamptz not null default clock_timestamp(),
  -- How many products were created, less those that were deleted.
  delta integer not null default 0,
  codes text[] collate "C" not null,
  items integer not null generated always as (cardinality(codes)) stored,
  -- For one projection alone, which failed or took too long.
  projection text,
  not_before timestamptz,
  primary key (store_uuid, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table product_dirty alter codes set storage external;

-- Adds products to the queue, at most 1,000 to a row. `number`: 1 if each was created, else 0.
create function mark_products(store uuid, changed text[], number integer default 0) returns void language plpgsql as $$
declare
  part text[];
  new_seq bigint;
begin
  for i in 0 .. (coalesce(cardinality(changed), 0) + 999) / 1000 - 1 loop
    part := changed[i * 1000 + 1 : i * 1000 + 1000];
    new_seq := next_number('product_dirty_seq');
    insert into product_dirty (store_uuid, seq, codes, delta) values (store, new_seq, part, number * cardinality(part));
  end loop;
end $$;

-- The stores in the queue, since when, and whether something is to be built for them.
create function queued_stores() returns table (store uuid, oldest timestamptz, is_building boolean)
language plpgsql stable as $$
begin
  return query select store_uuid, min(at), bool_or(at = 'infinity') from product_dirty
    where not_before is null or not_before <= now() group by store_uuid;
end $$;

-- How many changed products are in the queue, each as often as it was changed, and for how many seconds the oldest.
create function queue_state() returns table (products integer, seconds double precision) language plpgsql stable as $$
begin
  return query select coalesce(sum(items), 0)::integer,
      coalesce(extract(epoch from clock_timestamp() - min(at)), 0)::double precision
    from product_dirty where at < 'infinity';
end $$;

-- What products must have on a channel: a list of requirements. The place of each in the list is its bit in masks.
create table channel_requirement (
  store_uuid uuid not null,
  channel text collate "C" not null,
  requirements jsonb not null,
  primary key (store_uuid, channel)
);

-- How many products miss what, for a list of requirements: those in force (`current`), those that are being counted, in
-- the order of product codes (`counting`), and those whose gaps are yet to be deleted (`dropped`). `missing` has a
-- count for each requirement, `blocked` counts products that miss something required.
create table channel_readiness (
  store_uuid uuid not null,
  channel text collate "C" not null,
  build integer not null,
  state text not null check (state in ('current', 'counting', 'dropped')),
  requirements jsonb not null,
  -- The mask of what is not only recommended.
  required bigint not null,
  counted_to text collate "C" not null default '',
  missing integer[] not null,
  blocked integer not null default 0,
  counted integer not null default 0,
  primary key (store_uuid, channel, build)
);

-- The products that miss something.
create table product_gap (
  store_uuid uuid not null,
  channel text collate "C" not null,
  build integer not null,
  product_code text collate "C" not null,
  mask bigint not null,
  primary key (store_uuid, channel, build, product_code)
);

-- Numbers by day and, for two weeks, by hour in UTC.
create table measure (
  store_uuid uuid not null,
  metric text not null,
  dimension text collate "C" not null,
  grain text not null check (grain in ('day', 'hour')),
  at timestamptz not null,
  value bigint not null,
  primary key (store_uuid, metric, dimension, grain, at)
);
