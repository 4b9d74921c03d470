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

/** The number of partitions that the large tables have; `wanted` in a new database. Throws if they have another one. */
export async function findPartitions(db: Kysely<Database>, wanted?: number): Promise<number> {
  const { rows } = await sql<{ partitions: number }>`
    select count(inhrelid)::int as partitions from pg_class left join pg_inherits on inhparent = oid
    where oid = to_regclass('product') group by oid`.execute(db)
  const { partitions } = rows[0] ?? { partitions: wanted ?? 0 }
  if (wanted === undefined || wanted === partitions) return partitions
  const tables = partitions === 0 ? 'without partitions' : `in ${partitions} partitions`
  const advice = `create a new database, run "catalog migrate --partitions ${wanted}" on it, and move the data by "catalog backup" and "catalog restore"`
  throw new Error(`expected a database without tables for --partitions ${wanted}; its tables are ${tables}: ${advice}`)
}
