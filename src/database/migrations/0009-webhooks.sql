-- Webhooks: receivers of the changes of a store. A gateway acquires the lease of a webhook, reads the changes after its
-- position, and posts those that match. Citus keeps both tables on the coordinator.
create table webhook (
  store_uuid uuid not null,
  webhook_id uuid not null unique,
  url text not null,
  -- Of the receiver: values such as credentials are never shown again.
  headers jsonb not null,
  -- In clear, because it signs. The previous one signs, too, for a day after a rotation.
  secret text not null,
  previous_secret text,
  rotated_at timestamptz,
  filter jsonb not null,
  -- `lost`: the ledger no longer had its position, and the receiver is yet to be notified.
  state text not null default 'active' check (state in ('active', 'failing', 'paused', 'disabled', 'lost')),
  -- The receiver is yet to be notified of it, also after the webhook was switched off and on.
  has_gap boolean not null default false,
  failing_since timestamptz,
  -- A cursor of the feed in its parts, `TRANSACTION-SEQUENCE-LEDGER`: all changes up to it are delivered or do not
  -- match.
  position text not null,
  -- The end of the delivery that is being attempted, and the time of its first change. Each attempt has the same
  -- changes.
  pending text,
  pending_since timestamptz,
  attempt integer not null default 0,
  -- The pause after the last attempt.
  pause_ms integer not null default 0,
  next_at timestamptz not null default now(),
  -- How long the last attempt took.
  last_ms integer not null default 0,
  -- The position of a webhook without changes goes on, too: the ledger does not keep old ones.
  checked_at timestamptz not null default now(),
  -- A ping that is to be sent; after `enable` the webhook is switched on if that succeeds.
  ping text check (ping in ('test', 'enable')),
  -- How often its user has moved the position: the holder of the lease then starts anew.
  moves integer not null default 0,
  lease_id uuid,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  primary key (store_uuid, webhook_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The attempts, for seven days.
create table webhook_delivery (
  store_uuid uuid not null,
  webhook_id uuid not null,
  at timestamptz not null default clock_timestamp(),
  delivery_id uuid not null,
  event_id text not null,
  type text not null,
  attempt integer not null,
  -- Null: there was no answer; `reason` says why.
  status integer,
  duration_ms integer not null,
  reason text,
  -- The first 2 KB of the answer.
  response text,
  primary key (store_uuid, webhook_id, at, delivery_id)
) partition by range (at);

-- Partitions of the attempts for today and the next days.
create function add_delivery_days(days integer) returns void language sql as $$
  select add_days('webhook_delivery', (now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + days)
$$;
select add_delivery_days(7);

-- Drops the partitions that are older than seven days.
create function drop_delivery_days() returns void language plpgsql set lock_timeout = '500ms' as $$
declare
  name text;
begin
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'webhook_delivery'::regclass
      -- A date would be read of other tables, too, whose names have none.
      and right(c.relname, 8) < to_char((now() at time zone 'UTC')::date - 7, 'YYYYMMDD')
  loop
    execute format('drop table if exists %I', name);
  end loop;
end $$;

-- The webhooks with something to do: a ping, an attempt that is due, changes after their position, or a position that
-- is minutes old. A lease in the past is checked once: its holder found more, or has died.
-- Where no transaction has ended since `known`, other webhooks have no new changes, but for those whose lease has ended
-- in the last minute: what was written during it has not been checked. A statement takes at most half of that.
-- `from_time`: only changes since then are searched, which saves the search of older days. The last change of a store
-- is read once for all of its webhooks.
create function due_webhooks(oldest xid8, known xid8, from_time timestamptz)
returns table (due_store uuid, due_webhook uuid, is_slow boolean) language plpgsql stable rows 10
set enable_sort = off set enable_bitmapscan = off set enable_seqscan = off as $$
declare
  ledger constant text := (select left(h.ledger::text, 8) from change_horizon h);
  w record;
  store uuid;
  last_tx xid8;
  last_seq bigint;
  is_due boolean;
begin
  for w in
    select k.*, split_part(k.position, '-', 1)::xid8 as after_tx, split_part(k.position, '-', 2)::bigint as after_seq
    from webhook k where (k.lease_until is null or k.lease_until <= now())
      and ((k.ping is not null and k.checked_at <= now() - interval '1 second') or (k.state in ('active', 'failing', 'lost') and k.next_at <= now()))
    order by k.store_uuid
  loop
    is_due := w.ping is not null or w.pending is not null or w.state = 'lost' or w.lease_until is not null
      or w.checked_at < now() - interval '10 minutes' or split_part(w.position, '-', 3) <> ledger;
    if not is_due and (oldest is distinct from known or w.checked_at > now() - interval '1 minute') then
      if store is distinct from w.store_uuid then
        store := w.store_uuid;
        select c.tx, c.seq into last_tx, last_seq from change c
          where c.store_uuid = store and c.tx < oldest and c.at >= from_time
            -- Days that have not begun are not searched, whatever the clock does.
            and c.at < now() + interval '1 day'
          order by c.tx desc, c.seq desc limit 1;
      end if;
      is_due := coalesce((last_tx, last_seq) > (w.after_tx, w.after_seq), false);
    end if;
    if is_due then
      due_store := w.store_uuid;
      due_webhook := w.webhook_id;
      is_slow := w.attempt > 0 or w.last_ms > 2000;
      return next;
    end if;
  end loop;
end $$;
