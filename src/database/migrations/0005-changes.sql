-- The ledger: who changed what, and the values from before. Each write adds its rows in its own statement or
-- transaction. A row is one action of one request on rows of one kind; `codes`, `keys` and `was` are parallel, with one
-- element per item:
--
-- kind        code             key                      was
-- product     product code     attribute, or `status`   the value from before; null if there was none
-- asset       asset id         null                     null
-- link        parent code      ["channel","asset id"]   the place from before
-- definition  attribute        null                     the definition from before, as JSON
-- requirement channel          null                     its list from before, as JSON
-- store       ''               field                    the value from before, as JSON
-- readiness   product code     channel                  null
-- import      id of the job    its state                null
--
-- The last two follow from changes: products that became `ready` or `blocked`, and an import that has ended. A row
-- `changed` of readiness has the code '': new requirements were evaluated, `count` has the blocked products.
--
-- A row `created` has no values from before. One that says that products, assets, links, definitions or requirements
-- were `deleted` has the whole row of each as JSON, the place of a link, or the list; the key of products is null then.
--
-- Items are in the order of `seq`, which is taken under their locks. The order of `tx` and `seq` is that of the feed:
-- what a reader sees up to the oldest transaction that is still open is complete.
create sequence change_seq;
create table change (
  store_uuid uuid not null,
  tx xid8 not null default pg_current_xact_id(),
  seq bigint not null default nextval('change_seq'),
  at timestamptz not null default clock_timestamp(),
  request_id text collate "C" not null,
  token_id text,
  actor text not null,
  via text not null check (via in ('rest', 'graphql', 'cli', 'job')),
  operation text not null,
  kind text not null check (kind in ('product', 'asset', 'link', 'definition', 'requirement', 'store', 'readiness',
    'import')),
  action text not null check (action in ('created', 'updated', 'deleted', 'ready', 'blocked', 'changed', 'finished')),
  codes text[] collate "C" not null,
  items integer not null generated always as (cardinality(codes)) stored,
  keys text[] not null,
  was text[] not null,
  -- How many products, assets, links, definitions, channels, stores, or rows of an import it touches: products with
  -- several items count once.
  count integer not null,
  -- Items of the request that failed, on one of its rows.
  failed integer not null default 0,
  -- The request that this one reverts.
  reverts text collate "C",
  primary key (store_uuid, tx, seq, at)
) partition by range (at);
-- What is read of a row is a part of its arrays, and compression would cost the writers.
alter table change alter codes set storage external, alter keys set storage external, alter was set storage external;

-- The transaction of a row of the ledger, and the next number of a sequence. What a server of Citus runs for the
-- coordinator has them from there (citus/run-in-store.ts).
create function writing_tx() returns xid8 language sql as $$
  select coalesce(nullif(current_setting('catalogue.tx', true), '')::xid8, pg_current_xact_id()) $$;
create function next_number(sequence text) returns bigint language sql as $$
  select case when coalesce(current_setting('catalogue.' || sequence, true), '') = '' then nextval(sequence::regclass)
    else set_config('catalogue.' || sequence, (current_setting('catalogue.' || sequence)::bigint + 1)::text, true)::bigint end $$;

create index change_by_request on change (store_uuid, request_id);
-- Writers add to the pending list, which costs them little; a reader reads all of it, so it is short.
create index change_by_code on change using gin (codes) with (gin_pending_list_limit = 1024);
create index change_by_reverted on change (store_uuid, reverts) where reverts is not null;

-- The last change of the partitions that were dropped: what follows an older one is not complete. `ledger` is
-- a part of each cursor, which is refused by other databases. All changes from `since` on are recorded; where something
-- has written without recording, `has_gap` is set, and what records next begins a new ledger. `restored` has, by store,
-- since when the changes of one that was restored beside others are recorded, and the transaction of the older ones.
create table change_horizon (
  only_one boolean primary key default true check (only_one),
  ledger uuid not null default gen_random_uuid(),
  since timestamptz not null default now(),
  has_gap boolean not null default false,
  tx xid8 not null default '0',
  seq bigint not null default 0,
  restored jsonb not null default '{}'
);
insert into change_horizon default values;

-- A partition of a table for each day, in UTC. Made as a table of its own and then attached: writers need not wait.
create function add_days(of_table text, first date, last date) returns void language plpgsql as $$
declare
  day date;
  name text;
begin
  for day, name in select d, format('%s_%s', of_table, to_char(d, 'YYYYMMDD'))
    from (select first + i as d from generate_series(0, last - first) i) days
  loop
    continue when to_regclass(name) is not null;
    perform pg_advisory_xact_lock(4011850362);
    execute format('create table if not exists %I (like %I including all)', name, of_table);
    if not (select relispartition from pg_class where oid = to_regclass(name)) then
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', of_table, name,
        day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    end if;
  end loop;
end $$;

-- From today on.
create function add_change_days(days integer) returns void language sql as $$
  select add_days('change', (now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + days)
$$;
select add_change_days(7);

-- The day of the oldest partition.
create function first_change_day() returns timestamptz language sql stable as $$
  select to_date(min(right(c.relname, 8)), 'YYYYMMDD')::timestamp at time zone 'UTC'
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'change'::regclass
$$;

-- Prepares for changes of a store that come from another database, which has all of them since then: its ledger begins
-- where both are complete. The days that are added have no changes of other stores.
create function take_over_changes(store uuid, recorded_since timestamptz) returns void language plpgsql as $$
declare
  first_day constant timestamptz := first_change_day();
  taken_over constant jsonb := jsonb_build_object(store,
    jsonb_build_object('since', recorded_since, 'tx', pg_current_xact_id()::text));
begin
  update change_horizon h set since = greatest(h.since, first_day), restored = h.restored || taken_over;
  perform add_days('change', (recorded_since at time zone 'UTC')::date, (now() at time zone 'UTC')::date);
end $$;

-- The oldest partition, if all of it is before a time.
create function old_change_day(before timestamptz) returns text language sql stable as $$
  select 'change_' || to_char(first_change_day() at time zone 'UTC', 'YYYYMMDD')
  where first_change_day() + interval '24 hours' <= before
$$;

-- Drops the oldest partition, if all of it is before a time, and says whether it did. Writers wait for it meanwhile: it
-- gives up soon if it has to wait itself, and at once while another session tries. The last change is found by a lookup
-- in the primary key for each store, however many changes the day has. Changes that were restored are older than their
-- transaction: they do not count.
create function drop_change_day(before timestamptz) returns boolean language plpgsql
set lock_timeout = '500ms' set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  name text;
  of_store uuid;
  taken_over jsonb;
  newest record;
  last_tx xid8 := '0';
  last_seq bigint := 0;
begin
  if not pg_try_advisory_xact_lock(4011850362) then
    return false;
  end if;
  name := old_change_day(before);
  if name is null then
    return false;
  end if;
  select h.restored from change_horizon h into taken_over;
  for of_store in select s.store_uuid from store s loop
    execute format('select c.tx, c.seq from %I c
      where c.store_uuid = $1 and c.tx is distinct from $2 order by c.tx desc, c.seq desc limit 1', name)
      using of_store, (taken_over -> of_store::text ->> 'tx')::xid8 into newest;
    if (newest.tx, newest.seq) > (last_tx, last_seq) then
      last_tx := newest.tx;
      last_seq := newest.seq;
    end if;
  end loop;
  update change_horizon h set tx = last_tx, seq = last_seq where (last_tx, last_seq) > (h.tx, h.seq);
  execute format('drop table %I', name);
  return true;
end $$;

-- What is read of the ledger together with `ledger_state` or an index of arrays comes from functions in PL/pgSQL. They
-- keep their plans, which takes longer to make than to run with a partition for each day. Citus runs what they are
-- called by on the coordinator, whose transactions `tx` names.

-- No transaction before this one is open; all that such transactions have written is seen by statements that follow.
-- Citus commits on the coordinator first, then on the server of the store, and then releases the lock of the
-- transaction's number: what is locked counts as open. The snapshot must be older than the look at the locks.
create function oldest_open() returns xid8 language plpgsql stable as $$
declare
  oldest constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
  older bigint;
begin
  if current_setting('citus.propagate_set_commands', true) is distinct from 'local' then
    return oldest;
  end if;
  -- Locks have the lower 32 bits of a number.
  select greatest(max(age(l.transactionid) - age(oldest::xid)), 0) into older from pg_locks l
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock';
  return (oldest::text::bigint - older)::text::xid8;
end $$;

-- How far the ledger goes, of a store if one is given. No transaction from `next_tx` on has begun.
create function ledger_state(store uuid default null) returns table (ledger text, since timestamptz, has_gap boolean, horizon_tx xid8, horizon_seq bigint,
  oldest_open xid8, next_tx xid8, is_replica boolean)
language plpgsql stable rows 1 as $$
declare
  following constant xid8 := pg_snapshot_xmax(pg_current_snapshot());
  oldest constant xid8 := oldest_open();
begin
  return query select left(h.ledger::text, 8), greatest(h.since, (h.restored -> store::text ->> 'since')::timestamptz),
    h.has_gap, h.tx, h.seq, oldest, following, pg_is_in_recovery() from change_horizon h;
end $$;

-- The changes that have one of the codes. With the rights of the owner: no index of arrays serves a statement that
-- row-level security limits, because its operators are not leakproof. The stores of a limited role hold here too.
-- Only the index of codes serves the conditions: by the primary key all changes of a large store would be read.
create function changes_of(store uuid, wanted text[], from_time timestamptz) returns setof change
language plpgsql stable rows 100 security definer
set enable_seqscan = off set enable_indexscan = off set search_path from current as $$
begin
  if coalesce(current_setting('catalogue.stores', true), '') <> ''
    and store <> all (current_setting('catalogue.stores')::uuid[]) then
    return;
  end if;
  -- Citus looks for the store in a condition that it knows.
  if current_setting('citus.propagate_set_commands', true) = 'local' then
    return query select * from change c where c.store_uuid = store and c.codes && wanted and c.at > from_time;
    return;
  end if;
  return query select * from change c
    where (c.store_uuid = store) is true and c.codes && wanted and (c.at > from_time) is true;
end $$;
revoke execute on function changes_of from public;

create function changes_by(store uuid, request text) returns setof change
language plpgsql stable rows 100 as $$
begin
  return query select * from change c where c.store_uuid = store and c.request_id = request
    and c.kind not in ('readiness', 'import');
end $$;

-- A page of the feed of a store, from its key: a plan for any store would read all changes of a large one and sort
-- them.
create function changes_after(store uuid, after_tx xid8, after_seq bigint, before_tx xid8, by_operation text, by_actor text,
  from_time timestamptz, until_time timestamptz, max_count integer) returns setof change
language plpgsql stable rows 100
set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off as $$
begin
  return query select * from change c
    where c.store_uuid = store and (c.tx, c.seq) > (after_tx, after_seq) and c.tx < before_tx
      and (by_operation is null or c.operation = by_operation) and (by_actor is null or c.actor = by_actor)
      and c.at >= from_time and c.at < until_time
    order by c.tx, c.seq limit max_count;
end $$;

-- The same of several stores in one order; null: of all stores. No server of Citus has all of them: there it asks for
-- one after the other.
create function changes_of_stores(stores uuid[], after_tx xid8, after_seq bigint, before_tx xid8, from_time timestamptz,
  max_count integer) returns setof change
language plpgsql stable rows 100
set enable_bitmapscan = off set enable_seqscan = off as $$
declare
  wanted constant uuid[] := coalesce(stores, array(select s.store_uuid from store s));
begin
  if current_setting('citus.propagate_set_commands', true) = 'local' then
    return query select k.* from unnest(wanted) s(store) cross join lateral changes_after(s.store, after_tx, after_seq,
      before_tx, null, null, from_time, 'infinity', max_count) k;
    return;
  end if;
  return query select * from change c
    where c.store_uuid = any (wanted) and (c.tx, c.seq) > (after_tx, after_seq) and c.tx < before_tx
      and c.at >= from_time
    order by c.tx, c.seq limit max_count;
end $$;

-- The last change of each store before a transaction; null: of all stores.
create function last_changes(stores uuid[], before_tx xid8) returns table (tx xid8, seq bigint)
language plpgsql stable rows 10
set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off as $$
declare
  store uuid;
begin
  foreach store in array coalesce(stores, array(select s.store_uuid from store s)) loop
    return query select c.tx, c.seq from change c where c.store_uuid = store and c.tx < before_tx
      order by c.tx desc, c.seq desc limit 1;
  end loop;
end $$;

-- The codes of the products that were changed last, and since when there are no others: some `wanted` ones before a
-- time, and all after it. A product that was updated since then is one of them, as each change is recorded in the
-- transaction of its update, which begins before: all changes of a transaction are taken. Null if that takes more than
-- `max_items`, if something has not recorded its changes, and on Citus: the clocks of its servers differ. Changes of
-- other kinds are among the last ones that are read: a store may have millions.
create function changed_products(store uuid, before timestamptz, wanted integer, max_items integer)
returns table (since timestamptz, codes text[]) language plpgsql stable rows 1
set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off as $$
declare
  max_read constant integer := 5000;
  recorded_since timestamptz;
  read integer := 0;
  changes integer := 0;
  older integer := 0;
  items integer := 0;
  is_all boolean;
  last xid8;
  c record;
begin
  select greatest(h.since, (h.restored -> store::text ->> 'since')::timestamptz) from change_horizon h
    where not h.has_gap into recorded_since;
  for c in
    select k.tx, k.at, k.items, k.count, k.kind from change k where k.store_uuid = store
    order by k.tx desc, k.seq desc limit max_read
  loop
    read := read + 1;
    continue when c.kind <> 'product';
    exit when changes = 1000;
    since := c.at;
    is_all := older < wanted or c.tx = last;
    exit when not is_all;
    last := c.tx;
    changes := changes + 1;
    items := items + c.items;
    exit when items > max_items;
    older := older + case when c.at < before then c.count else 0 end;
  end loop;
  -- Then all changes from the day of the last one on are among these.
  if is_all and changes between 1 and 999 and read < max_read then
    since := greatest(recorded_since, date_trunc('day', since at time zone 'UTC') at time zone 'UTC');
  end if;
  if items <= max_items and recorded_since <= since
    and current_setting('citus.propagate_set_commands', true) is distinct from 'local' then
    codes := array(
      select distinct code from change k cross join unnest(k.codes) code
      where k.store_uuid = store and k.kind = 'product' and k.at >= changed_products.since limit max_items + 1);
  end if;
  if codes is null or cardinality(codes) > max_items then
    since := null;
  end if;
  return next;
end $$;

-- The last change of each request that reverts one of these after its last change, those that revert such ones, and so
-- on.
create function reverts_of(store uuid, requests text[]) returns setof change
language plpgsql stable rows 10 as $$
begin
  return query with recursive request(id, last) as (
    select r.id collate "C", l.last from unnest(requests) r(id) cross join lateral (
      select max(seq) as last from change where store_uuid = store and request_id = r.id and kind <> 'import'
    ) l
    union
    select v.id, l.last from request r cross join lateral (
      select distinct request_id as id from change where store_uuid = store and reverts = r.id and seq > r.last
    ) v cross join lateral (
      select max(seq) as last from change where store_uuid = store and request_id = v.id
    ) l
  )
  select c.* from request r cross join lateral (
    select distinct on (request_id) * from change where store_uuid = store and reverts = r.id and seq > r.last
    order by request_id, seq desc
  ) c;
end $$;

-- The changes of items of these rows of a request, or of their assets, after the first of the rows. The codes are
-- looked up some at a time: the index compares each change that it finds with all codes that it is asked for.
create function changes_since(store uuid, request text, seqs bigint[], from_time timestamptz)
returns table (tx xid8, seq bigint, at timestamptz) language plpgsql stable rows 100 as $$
declare
  wanted text[];
begin
  for wanted in
    select array_agg(name) from (
      select name, row_number() over () / 1000 as part from (
        select unnest(c.codes) as name from change c
        where c.store_uuid = store and c.request_id = request and c.seq = any(seqs)
        union
        select key::json ->> 1 from change c cross join unnest(c.keys) key
        where c.store_uuid = store and c.request_id = request and c.seq = any(seqs) and c.kind = 'link'
      ) n
    ) n group by part
  loop
    return query select c.tx, c.seq, c.at from changes_of(store, wanted, from_time) c where c.seq > seqs[1];
  end loop;
end $$;

-- Records that an import that is no dry run has ended, whatever ends it, with the request that has begun it. Its state
-- is that of `Job.state`.
create function record_import_end() returns trigger language plpgsql as $$
declare
  has_failures boolean := (new.counts ->> 'failed')::integer + (new.counts ->> 'assetsFailed')::integer > 0;
begin
  perform record_change(new.store_uuid, new.origin || jsonb_build_object('operation', 'import', 'via',
      case when new.file is null then 'job' else 'cli' end), 'import', 'finished', array[new.job_id::text],
    array[case when new.state = 'succeeded' and has_failures then 'succeeded with failures' else new.state end], null,
    (new.counts ->> 'rows')::integer, (new.counts ->> 'failed')::integer);
  return null;
end $$;
create trigger import_ended after update of state on job for each row
  when (new.kind = 'import' and new.origin ? 'requestId' and new.options ->> 'dryRun' is distinct from 'true'
    and new.state in ('succeeded', 'failed') and old.state not in ('succeeded', 'failed'))
  execute function record_import_end();
