import { tenantRole } from '../tenant.ts'
import { type Table, tables } from './table-registry.ts'

/**
 * A script that enables row-level security where it is missing, and grants the rights of the tenant role. Runs again
 * when the registry changes. Policies that exist are kept: Citus has policies of its own (citus/distribute.ts).
 *
 * The owner of the tables is not bound by the policies. In a subquery the setting is read once per statement, not once
 * per row. A statement on a table other than `store` names its store: `in (select …)` leaves it to that to choose an
 * index, and does not make PostgreSQL expect still fewer rows, for which it would read a whole store.
 */
export function tableAccess(): string {
  return [
    ...tables.filter(({ withoutStore }) => !withoutStore).map(policy),
    ...tables.filter(hasRights).map(grant),
  ].join('\n')
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

function hasRights({ tenantRights }: Table): boolean {
  return tenantRights !== undefined
}

/** Without the tenant role, no grant is needed. */
function grant({ name, tenantRights }: Table): string {
  return `do $$ begin
    grant ${tenantRights} on ${name} to ${tenantRole};
  exception
    when undefined_object or insufficient_privilege then null;
  end $$;`
}
