-- What products must have on a channel: a list of requirements. The place of each in the list is its bit in masks.
create table channel_requirement (
  store_uuid uuid not null,
  channel text collate "C" not null,
  requirements jsonb not null,
  primary key (store_uuid, channel)
);

-- How far the ledger of a store has been read: a row for each store that has requirements. `tx`, `seq` and `ledger` are
-- the cursor. `total` is how many products the store had there; they were counted once, with what the transactions
-- `counted` had changed after the cursor.
-- `requested` grows with each change of requirements, and `done` is that of the last one which is counted to its end.
create table change_reader (
  store_uuid uuid primary key,
  ledger text,
  tx xid8,
  seq bigint,
  counted xid8[] not null default '{}',
  total integer not null default 0,
  as_of timestamptz not null default now(),
  requested integer not null default 1,
  done integer not null default 0
);

-- How many products miss what, for a list of requirements: those in force (`current`), those that are being counted, in
-- the order of product codes (`counting`), and those whose gaps are yet to be deleted (`dropped`). `missing` has a
-- count for each requirement, `blocked` counts products that miss something required. `as_of`, `total`: until when the
-- changes were followed, and how many products there were, if not any more.
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
  as_of timestamptz,
  total integer,
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

-- The stores that are to be counted anew: their requirements are new, or the ledger is another one.
create view due_reader as select r.store_uuid from change_reader r
  where r.requested > r.done or r.ledger is distinct from (select left(h.ledger::text, 8) from change_horizon h limit 1);

-- The stores that the reader has work in. For each, a lookup in the primary key of the ledger. Only the coordinator of
-- Citus knows which transactions are open.
create function stores_to_read() returns setof uuid language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  oldest constant xid8 := oldest_open();
begin
  return query select store_uuid from due_reader
    union
    select c.store_uuid from change_reader r
      join change c on c.store_uuid = r.store_uuid and (c.tx, c.seq) > (r.tx, r.seq)
    where c.tx < oldest;
end $$;

-- How many products a store has, the oldest open transaction, and which ones from there on that number has. One
-- statement reads it, on Citus that of the server which has the store.
create function count_products(store uuid) returns table (total integer, tx xid8, counted xid8[])
language plpgsql stable rows 1 set enable_seqscan = off as $$
declare
  oldest constant xid8 := oldest_open();
begin
  return query select
    (select coalesce(sum(t.count), 0)::integer from product_total t where t.store_uuid = store), oldest,
    array(select distinct c.tx from change c
      where c.store_uuid = store and c.tx >= oldest and c.kind = 'product' and c.action <> 'updated');
end $$;
