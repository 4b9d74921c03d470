import { tenantRole } from '../tenant.ts'
import { type Table, tables } from './table-registry.ts'

/**
 * A script that enables row-level security where it is missing, and grants the rights of the tenant role. Policies that
 * exist are kept: Citus has policies of its own (citus/distribute.ts).
 *
 * The owner of the tables is not bound by the policies. In a subquery the setting is read once per statement, not once
 * per row. A statement on a table other than `store` names its store: `in (select …)` leaves it to that to choose an
 * index, and does not make PostgreSQL expect still fewer rows, for which it would read a whole store.
 */
export function tableAccess(): string {
  return [...tables.filter(({ withoutPolicy }) => !withoutPolicy).map(policy), grants()].join('\n')
}

const setting = `current_setting('catalogue.stores')::uuid[]`

function policy({ name }: Table): string {
  const condition = name === 'store' ? `= any ((select ${setting})::uuid[])` : `in (select unnest(${setting}))`
  return `do $$ begin
    if not exists (select from pg_policy where polrelid = '${name}'::regclass and polname = 'own_stores') then
      alter table ${name} enable row level security;
      create policy own_stores on ${name} using (store_uuid ${condition});
    end if;
  end $$;`
}

/** What the statements of limited callers call: PostgreSQL's default privileges may close functions to all others. */
const tenantFunctions = [
  ...['codes_like', 'folded', 'lock_store', 'mark_products', 'next_number', 'queue_state', 'writing_tx'],
  ...['changed_products', 'changes_after', 'changes_by', 'changes_of', 'changes_since', 'first_change_day'],
  ...['ledger_state', 'oldest_open', 'record_change', 'record_items', 'reverts_of'],
  ...['count_products', 'delete_products', 'keep_attribute_names', 'write_products'],
  ...['run_in_store', 'run_on_server'],
]

/**
 * Without the tenant role, no grants are needed. Each right is granted by itself: whoever may not grant one may grant
 * others. Functions are found by name: a change of version may leave two with the same name.
 */
function grants(): string {
  const ofTables = tables.flatMap(({ name, tenantRights }) => (tenantRights ? `${tenantRights} on ${name}` : []))
  const rights = [...ofTables, 'usage on sequence change_seq, product_dirty_seq'].map((right) => `'${right}'`)
  const functions = tenantFunctions.map((name) => `'${name}'`)
  return `do $$ declare
    granted text;
  begin
    for granted in
      select format('usage on schema %I', current_schema()) union all select unnest(array[${rights.join(', ')}])
      union all select format('execute on function %s', oid::regprocedure) from pg_proc
        where pronamespace = current_schema()::regnamespace and proname in (${functions.join(', ')})
    loop
      begin
        execute format('grant %s to ${tenantRole}', granted);
      exception
        when undefined_object or insufficient_privilege then null;
      end;
    end loop;
  end $$;`
}
