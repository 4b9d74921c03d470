import { type Kysely, sql } from 'kysely'
import type { Database } from './tables.ts'

/** How the tables are stored: plain, in hash partitions, or distributed by Citus. */
export type DatabaseKind = 'plain' | 'partitions' | 'citus'

export async function findKind(db: Kysely<Database>): Promise<DatabaseKind> {
  // `catalog distribute` has set the parameter; the tables of Citus itself are only there with its extension.
  const { rows } = await sql<{ kind: DatabaseKind }>`
    select case when current_setting('citus.propagate_set_commands', true) = 'local' then 'citus'
      when exists (select from pg_class where oid = to_regclass('product') and relkind = 'p') then 'partitions'
      else 'plain' end as kind`.execute(db)
  return rows[0]?.kind ?? 'plain'
}
