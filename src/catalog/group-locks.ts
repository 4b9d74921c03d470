import { crc32 } from 'node:zlib'
import { sql } from 'kysely'
import { visibleStores, type WriteView } from './viewer.ts'

/** What a writer may touch in a store: the groups of parent codes and the assets of ids and URLs that it names, or all that there is. */
export type Touched = Iterable<string> | 'all'

/** PostgreSQL keeps a transaction's locks in shared memory: names share this many in a store. */
const buckets = 64
const wholeStore = -1

/**
 * Locks groups and assets of stores until the transaction ends, and returns which of the stores exist. Every writer of assets and links comes by here
 * before it reads: what it has locked nobody else changes. Writers of other names go on beside it. A store's own lock is shared by those who
 * name what they touch and taken alone by those who mean all; locks are taken in one order, so that no two writers wait for each other. One statement.
 */
export async function lockGroups(db: WriteView, asked: ReadonlyMap<string, Touched>): Promise<Set<string>> {
  const visible = new Set(visibleStores(db, [...asked.keys()]))
  const wanted = new Map([...asked].filter(([storeUuid]) => visible.has(storeUuid)))
  if (wanted.size === 0) return new Set()
  const locks = [...wanted].flatMap(([storeUuid, names]) => locksOf(storeUuid, names))
  locks.sort((a, b) => a.store - b.store || a.bucket - b.bucket)
  const { rows } = await sql<{ store_uuid: string }>`
    with locked as materialized (
      select case when shared then pg_advisory_xact_lock_shared(store, bucket)::text else pg_advisory_xact_lock(store, bucket)::text end as done
      from unnest(${locks.map((lock) => lock.store)}::integer[], ${locks.map((lock) => lock.bucket)}::integer[],
        ${locks.map((lock) => lock.shared)}::boolean[]) as l(store, bucket, shared)
    )
    select s.store_uuid from store s, (select count(done) from locked) l
    where s.store_uuid = any(${[...wanted.keys()]}::uuid[])`.execute(db)
  return new Set(rows.map((row) => row.store_uuid))
}

/** Takes a store's lock alone if nobody else writes there now. */
export async function tryLockStore(db: WriteView, storeUuid: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${keyOf(storeUuid)}::integer, ${wholeStore}::integer) as locked`.execute(db)
  return rows[0]?.locked ?? false
}

function locksOf(storeUuid: string, names: Touched) {
  const store = keyOf(storeUuid)
  if (names === 'all') return [{ store, bucket: wholeStore, shared: false }]
  const used = new Set<number>()
  for (const name of names) used.add(crc32(name) % buckets)
  // Who would need most of them is better off alone.
  if (used.size > buckets / 2) return [{ store, bucket: wholeStore, shared: false }]
  return [{ store, bucket: wholeStore, shared: true }, ...[...used].map((bucket) => ({ store, bucket, shared: false }))]
}

function keyOf(storeUuid: string): number {
  return crc32(storeUuid) | 0
}
