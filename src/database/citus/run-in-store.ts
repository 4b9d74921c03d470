import { type RawBuilder, sql } from 'kysely'
import { namesOf } from '../registry/table-registry.ts'

/** A statement of one store that inserts in a CTE: Citus would copy what it inserts to all servers. */
const insertsInCte = /^\s*with\b.*\binsert into \w+(?: as \w+)? \([^()]*\)\s*select\b/is
/** Its statements would be sent one by one. */
const writesProducts = /\bfrom write_products\(/

const distributed = namesOf(({ placement }) => placement === 'distributed')
const local = namesOf(({ placement }) => placement === 'local')

/**
 * A call of `run_in_store` for a statement that the server of its store runs as a whole; undefined if the coordinator
 * runs it.
 */
export function runInStore(
  store: string,
  text: string,
  values: readonly unknown[],
): { text: string; values: unknown[] } | undefined {
  if (!writesProducts.test(text) && !insertsInCte.test(text)) return undefined
  const tables: string[] = []
  const statement = text
    .replaceAll('%', '%%')
    .replace(/\$(\d+)/g, '%$1$L')
    .replace(/\binsert into (change|product_dirty) \(([^()]*)\)\s*select\b/g, withNumbers)
    .replace(/\b(from|join|into|update)(\s+)(\w+)\b/g, (found, word, space, name) => {
      if (![...distributed, ...local].includes(name)) return found
      if (!tables.includes(name)) tables.push(name)
      return `${word}${space}%${values.length + 1 + tables.indexOf(name)}$I`
    })
  if (tables.some((name) => local.includes(name))) return undefined
  const parameters = values.map((_, i) => `$${i + 4}::text`).join(', ')
  return {
    text: `select answer from run_in_store($1::uuid, $2, $3::text[], array[${parameters}]::text[]) answer`,
    values: [store, statement, tables, ...values],
  }
}

/** A shard has no defaults from the coordinator. */
function withNumbers(_: string, table: string, columns: string): string {
  const tx = table === 'change' ? { column: 'tx, ', value: 'writing_tx(), ' } : { column: '', value: '' }
  return `insert into ${table} (${tx.column}seq, ${columns}) select ${tx.value}next_number('${table}_seq'),`
}

/** Precede the statements that distribute tables: a server numbers up to so many rows for a statement. */
export const numberSequences = [
  sql`alter sequence change_seq increment by 10000`,
  sql`alter sequence product_dirty_seq increment by 10000`,
]

/** What statements call on a server. */
const functions = [
  ...['attributes_fit', 'folded', 'writing_tx', 'next_number', 'lock_store', 'mark_products', 'record_change'],
  ...['write_products', 'keep_attribute_names', 'count_products'],
]

/**
 * The transaction is the coordinator's, which orders the ledger. Its message is a record in the log: without one, the
 * number of the transaction would be given again after a crash. It deletes nothing: Citus locks the shards of the store
 * against a move before it chooses the server. The numbers are taken under the locks of the write.
 */
export const createRunInStore: RawBuilder<unknown>[] = [
  sql`select create_distributed_function(oid::regprocedure) from pg_proc
    where pronamespace = current_schema()::regnamespace and proname = any(${functions}::text[])`,
  sql`create or replace function run_on_server(store uuid, statement text, tables text[], parameters text[],
      tx text, change_seq text, product_dirty_seq text) returns setof json language plpgsql
    set search_path from current set jit = off set max_parallel_workers_per_gather = 0 as $$
    declare
      answer record;
    begin
      perform set_config('catalogue.tx', tx, true), set_config('catalogue.change_seq', change_seq, true),
        set_config('catalogue.product_dirty_seq', product_dirty_seq, true);
      for answer in execute format(statement, variadic parameters || array(
        select name || '_' || get_shard_id_for_distribution_column(name::regclass, store)
        from unnest(tables) with ordinality t(name, nth) order by nth))
      loop
        return next to_json(answer);
      end loop;
    end $$`,
  sql`select create_distributed_function('run_on_server(uuid, text, text[], text[], text, text, text)', 'store',
    colocate_with => 'attribute_definition', force_delegation => true)`,
  sql`create or replace function run_in_store(of_store uuid, statement text, tables text[], parameters text[])
    returns setof json language plpgsql set search_path from current as $$
    declare
      tx text;
      change_seq text;
      product_dirty_seq text;
    begin
      if exists (select from store s where s.store_uuid = of_store) then
        delete from attribute_definition d where d.store_uuid = of_store and d.name = '';
        if statement like '%from write_products(%' then
          perform lock_store(of_store, parameters[1]::jsonb -> 'locks');
        end if;
        tx := pg_current_xact_id();
        change_seq := nextval('change_seq');
        product_dirty_seq := nextval('product_dirty_seq');
        perform pg_logical_emit_message(true, 'catalogue', '');
        return query select * from run_on_server(of_store, statement, tables, parameters, tx, change_seq,
          product_dirty_seq);
      end if;
    end $$`,
]
