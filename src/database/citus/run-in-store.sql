-- What run-in-store.ts calls on Citus. Servers of other kinds have the functions too, and call none.

-- Runs a statement on the shards of a store. The statement is a text for `format`, with the parameters and, after them,
-- the names of the shards of the tables. Returns its rows as JSON. Citus calls the function on the server of the store.
create or replace function run_on_server(store uuid, statement text, tables text[], parameters text[], tx text,
  change_seq text, product_dirty_seq text) returns setof json language plpgsql
  set search_path from current set jit = off set max_parallel_workers_per_gather = 0 as $$
declare
  shards constant text[] := array(
    select name || '_' || get_shard_id_for_distribution_column(name::regclass, store)
    from unnest(tables) with ordinality t(name, nth) order by nth);
  answer record;
begin
  -- Citus calls the function on the coordinator until the server knows of a change of the servers.
  if exists (select from unnest(shards) shard where to_regclass(shard) is null) then
    raise exception 'the server of the store % is not ready', store using errcode = 'cannot_connect_now';
  end if;
  -- For writing_tx and next_number.
  perform set_config('catalogue.tx', tx, true), set_config('catalogue.change_seq', change_seq, true),
    set_config('catalogue.product_dirty_seq', product_dirty_seq, true);
  for answer in execute format(statement, variadic parameters || shards) loop
    return next to_json(answer);
  end loop;
end $$;

-- Has the server of a store run a statement (run_on_server) after it has taken the locks, if there are any. Where there
-- is no such store, returns nothing if there are locks; else throws, as the caller has taken the locks of the store.
create or replace function run_in_store(of_store uuid, statement text, tables text[], parameters text[], locks jsonb)
returns setof json language plpgsql set search_path from current as $$
declare
  tx text;
  change_seq text;
  product_dirty_seq text;
begin
  if not exists (select from store s where s.store_uuid = of_store) then
    if locks is not null then
      return;
    end if;
    raise exception 'there is no store %', of_store;
  end if;
  -- Deletes nothing: Citus locks the shards of the store against a move before it chooses the server.
  delete from attribute_definition d where d.store_uuid = of_store and d.name = '';
  if locks is not null then
    perform lock_store(of_store, locks);
  end if;
  -- Taken under the locks: the ledger has the writes of a product in their order.
  tx := pg_current_xact_id();
  change_seq := nextval('change_seq');
  product_dirty_seq := nextval('product_dirty_seq');
  -- A record in the log: without one, the number of the transaction would be given again after a crash.
  perform pg_logical_emit_message(true, 'catalogue', '');
  return query select * from run_on_server(of_store, statement, tables, parameters, tx, change_seq, product_dirty_seq);
end $$;
