-- Adds a row to the ledger, if there is an origin: who writes, as in record-changes.ts. `keys` and
-- `was` are null if whole products are created or deleted. `number`: how many things the row is about.
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

-- Records items (0005-changes.sql), and adds the parent codes of links to the queue of changed products. A row of the
-- ledger has about 2 MB of items: a reader decodes it whole. `failed`: how many items of the request failed. Returns
-- true: Citus keeps the results of parts of a statement, and cannot keep void.
create or replace function record_items(store uuid, origin jsonb, kinds text[], actions text[], codes text[],
  keys text[], was text[], failed integer) returns boolean language plpgsql as $$
declare
  part record;
begin
  perform mark_products(store, array(
    select distinct i.code collate "C" as code from unnest(kinds, codes) i(kind, code) where i.kind = 'link' order by code));
  if origin is null then
    return true;
  end if;
  for part in
    select kind, action, array_agg(code) as codes, array_agg(key) as keys, array_agg(old) as was,
      case kind when 'link' then count(*) else count(distinct code) end as number
    from (
      select *, sum(100 + octet_length(code) + coalesce(octet_length(key), 0) + coalesce(octet_length(old), 0)) over (
        partition by kind, action rows unbounded preceding) / 2000000 as nth
      from unnest(kinds, actions, codes, keys, was) i(kind, action, code, key, old)
    ) i
    group by kind, action, nth order by kind, action, nth
  loop
    perform record_change(store, origin, part.kind, part.action, part.codes, part.keys, part.was, part.number::integer,
      failed);
    failed := 0;
  end loop;
  return true;
end $$;
