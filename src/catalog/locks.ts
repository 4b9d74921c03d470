import { crc32 } from 'node:zlib'
import { type RawBuilder, sql } from 'kysely'
import { visibleStores, type WriteView } from './viewer.ts'

/** What a writer names of a store, or all that there is. */
export type Touched = Iterable<string> | 'all'

/** What a writer may change in a store: the groups of parent codes and the assets of ids and URLs; the products of codes. */
export interface Touches {
  groups?: Touched
  products?: Touched
}

/** PostgreSQL keeps a transaction's locks in shared memory: names share this many in a store. */
const buckets = 64
/** The numbers of the locks on a whole store; those of the buckets follow each. Who locks both kinds has groups before products. */
const whole = { groups: -1, products: buckets }

interface Lock {
  store: number
  number: number
  shared: boolean
}

/**
 * Locks groups, assets and products of stores until the transaction ends, and returns which of the stores exist. Every writer of them comes by here, or
 * by `takeLocks`, before it reads: what it has locked nobody else changes. Writers of other names go on beside it. A store's own lock is shared by those
 * who name what they touch and taken alone by those who mean all; locks are taken in one order, so that no two writers wait for each other. One statement.
 */
export async function lockStores(db: WriteView, asked: ReadonlyMap<string, Touches>): Promise<Set<string>> {
  const visible = new Set(visibleStores(db, [...asked.keys()]))
  const wanted = new Map([...asked].filter(([storeUuid]) => visible.has(storeUuid)))
  if (wanted.size === 0) return new Set()
  const { rows } = await sql<{ store_uuid: string }>`
    select store_uuid from store where store_uuid = any(${[...wanted.keys()]}::uuid[]) and ${takeLocks(wanted)}`.execute(
    db,
  )
  return new Set(rows.map((row) => row.store_uuid))
}

/** The same for writers of assets and links alone. */
export function lockGroups(db: WriteView, asked: ReadonlyMap<string, Touched>): Promise<Set<string>> {
  return lockStores(db, new Map([...asked].map(([storeUuid, groups]) => [storeUuid, { groups }])))
}

/**
 * The condition, always true, that takes the locks. The statement that it is part of reads what was there before they were taken: what they
 * are there for is read in the next.
 */
export function takeLocks(asked: ReadonlyMap<string, Touches>): RawBuilder<boolean> {
  const { stores, numbers, shared } = locksOf(asked)
  return sql<boolean>`(
      select count(case when shared then pg_advisory_xact_lock_shared(store, number)::text else pg_advisory_xact_lock(store, number)::text end)
      from unnest(${stores}::integer[], ${numbers}::integer[], ${shared}::boolean[]) as l(store, number, shared)
    ) >= 0`
}

/** The locks in the order that all take them in. */
export function locksOf(asked: ReadonlyMap<string, Touches>) {
  const locks = [...asked].flatMap(([storeUuid, touches]) => locksOfStore(storeUuid, touches))
  locks.sort((a, b) => a.store - b.store || a.number - b.number)
  return {
    stores: locks.map((lock) => lock.store),
    numbers: locks.map((lock) => lock.number),
    shared: locks.map((lock) => lock.shared),
  }
}

/** Takes the lock on all groups of a store if nobody else writes there now. */
export async function tryLockGroups(db: WriteView, storeUuid: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${keyOf(storeUuid)}::integer, ${whole.groups}::integer) as locked`.execute(db)
  return rows[0]?.locked ?? false
}

function locksOfStore(storeUuid: string, { groups, products }: Touches): Lock[] {
  const store = keyOf(storeUuid)
  return [
    ...(groups === undefined ? [] : locksOfKind(store, whole.groups, groups)),
    ...(products === undefined ? [] : locksOfKind(store, whole.products, products)),
  ]
}

function locksOfKind(store: number, first: number, names: Touched): Lock[] {
  const alone = [{ store, number: first, shared: false }]
  if (names === 'all') return alone
  const used = new Set<number>()
  for (const name of names) {
    used.add(first + 1 + (crc32(name) % buckets))
    // Who would need most of them is better off alone.
    if (used.size > buckets / 2) return alone
  }
  return [{ store, number: first, shared: true }, ...[...used].map((number) => ({ store, number, shared: false }))]
}

function keyOf(storeUuid: string): number {
  return crc32(storeUuid) | 0
}
