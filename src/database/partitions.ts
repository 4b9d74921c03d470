import { type Kysely, sql } from 'kysely'
import { namesOf } from './registry/table-registry.ts'
import type { Database } from './tables.ts'

/**
 * Creating a partition locks some 30 relations until the transaction ends; by default PostgreSQL can hold 6,400 locks.
 */
export const maxPartitions = 128

/**
 * Adds hash partitions by store to the large tables of a migration. The settings of a table go to its partitions; its
 * indexes, policies and grants apply to them too.
 */
export function partitioned(migration: string, count: number): string {
  const tables = namesOf(({ partitioned }) => partitioned)
  const definitions = new RegExp(`^create table (${tables.join('|')}) (\\([^;]*\\n\\))(.*);$`, 'gm')
  return migration.replace(definitions, (_, table: string, columns: string, settings: string) => {
    const partitions = Array.from({ length: count }, (_, i) => {
      const rows = `for values with (modulus ${count}, remainder ${i})`
      return `create table ${table}_${i} partition of ${table} ${rows}${settings};`
    })
    return [`create table ${table} ${columns} partition by hash (store_uuid);`, ...partitions].join('\n')
  })
}

/** Throws if the database already has tables, with another number of partitions. */
export async function requirePartitions(db: Kysely<Database>, expected: number): Promise<void> {
  const { rows } = await sql<{ partitions: number }>`
    select count(inhrelid)::int as partitions from pg_class left join pg_inherits on inhparent = oid
    where oid = to_regclass('product') group by oid`.execute(db)
  const [found] = rows
  if (!found || found.partitions === expected) return
  const tables = found.partitions === 0 ? 'without partitions' : `in ${found.partitions} partitions`
  const advice = `create a new database, run "catalog migrate --partitions ${expected}" on it, and move the data by "catalog backup" and "catalog restore"`
  throw new Error(
    `expected a database without tables for --partitions ${expected}; its tables are ${tables}: ${advice}`,
  )
}
