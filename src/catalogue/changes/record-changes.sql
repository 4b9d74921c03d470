-- Adds a row to the ledger, if there is an origin: who writes, as in catalogue.ts. `keys` and `was`
-- are null if whole products are created or deleted. `number`: how many things the row is about.
create or replace function record_change(store uuid, origin jsonb, kind text, action text, codes text[], keys text[],
  was text[], number integer, failed integer) returns void language plpgsql as $$
declare
  new_tx xid8;
  new_seq bigint;
begin
  if origin is null then
    return;
  end if;
  new_tx := writing_tx();
  new_seq := next_number('change_seq');
  insert into change (store_uuid, tx, seq, request_id, token_id, actor, via, operation, reverts, kind, action, codes,
    keys, was, count, failed)
  values (store, new_tx, new_seq, origin ->> 'requestId', origin ->> 'tokenId', origin ->> 'actor', origin ->> 'via',
    origin ->> 'operation', origin ->> 'reverts', kind, action, codes,
    coalesce(keys, array_fill(null::text, array[cardinality(codes)])),
    coalesce(was, array_fill(null::text, array[cardinality(codes)])), number, failed);
end $$;

-- Records items of one kind and action (0005-changes.sql), and adds the parent codes of links to the queue of changed
-- products. `distinct_codes`: each of the codes once. `failed`: how many items of the request failed. Returns true:
-- Citus keeps the results of parts of a statement, and cannot keep void.
create or replace function record_items(store uuid, origin jsonb, kind text, action text, codes text[], keys text[],
  was text[], distinct_codes text[], failed integer) returns boolean language plpgsql as $$
begin
  if kind = 'link' then
    perform mark_products(store, distinct_codes);
  end if;
  perform record_change(store, origin, kind, action, codes, keys, was,
    case kind when 'link' then cardinality(codes) else cardinality(distinct_codes) end, failed);
  return true;
end $$;
