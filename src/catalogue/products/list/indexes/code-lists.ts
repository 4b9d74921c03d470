import { type RawBuilder, sql } from 'kysely'
import { allOf, isBare } from '../../../conditions.ts'
import { isKey, statusSlot } from '../../../values/value-keys.ts'
import { totalOf } from '../../product-totals.ts'
import { creationConditions, prefixConditions } from '../matching-products.ts'
import type { AttributeFilter, ProductFilter } from '../product-filter.ts'
import type { AttributeIndexes } from './attribute-indexes.ts'
import { countsOfKeys, isKeyOf, type KeyIndex, type Keys, keyConditions, keysOf } from './key-conditions.ts'

/** A query of the codes of products that meet a condition: of all, and perhaps of others. */
export interface CodeList {
  codes: RawBuilder<unknown>
  /** What it reads, if the codes are those of an attribute or a status. */
  keys?: Keys
  /** The number of its products, where that is known without reading them. */
  length?: RawBuilder<number>
  /** Whether it has no others. */
  isExact: boolean
  /** Whether most of its products may not meet the condition. */
  isLoose?: boolean
  /** Whether an index returns the codes in their order. */
  isSorted?: boolean | undefined
  /** Whether it reads all products. */
  isScan?: boolean
}

/** The lists of the conditions that all products of a filter meet. `isByStatus`: the statuses are indexed, too. */
export function codeListsOf(
  uuid: string | null,
  filter: ProductFilter,
  indexes: AttributeIndexes,
  isByStatus: boolean,
): CodeList[] {
  const ofAttributes = (filter.attributes ?? []).flatMap((attribute) => {
    const index = indexes.get(attribute.name)
    return index?.slot ? ofAttribute(uuid, attribute, { ...index, slot: index.slot }) : []
  })
  const within = (filter.and ?? []).flatMap((part) => codeListsOf(uuid, part, indexes, isByStatus))
  const ofOthers = [
    ...ofCreation(uuid, filter),
    ...(isByStatus && filter.status != null ? [ofStatuses(uuid, filter.status)] : []),
    ...(filter.blockedOn == null ? [] : [ofBlocked(uuid, filter.blockedOn)]),
  ]
  return [...ofAttributes, ...ofOthers, ...within]
}

/** Whether products match a filter just if all of its lists have them. */
export function areExact(filter: ProductFilter, lists: readonly CodeList[]): boolean {
  return areClose(filter, lists) && lists.every(({ isExact }) => isExact)
}

/** Whether most products that all of the lists have match the filter. */
export function areClose(filter: ProductFilter, lists: readonly CodeList[]): boolean {
  return lists.length > 0 && !lists.some(({ isLoose }) => isLoose) && conditionsOf(filter) === lists.length
}

function conditionsOf({ status, codePrefix, attributes, createdAt, blockedOn, and, ...others }: ProductFilter): number {
  if (!isBare(others)) return Number.NaN
  const within = (and ?? []).reduce((sum, part) => sum + conditionsOf(part), 0)
  const own = [status, codePrefix, createdAt, blockedOn].filter((one) => one != null)
  return (attributes ?? []).length + own.length + within
}

/** A list of codes that are known, which may include others than those of products that match. */
export function givenList(codes: readonly string[]): CodeList {
  return {
    codes: sql`select unnest(${[...codes]}::text[]) collate "C" as product_code`,
    length: sql`${codes.length}::integer`,
    isExact: false,
  }
}

function ofAttribute(uuid: string | null, filter: AttributeFilter, index: KeyIndex): CodeList | [] {
  const { name, ...fields } = filter
  const given = Object.values(fields).filter((value) => value != null)
  if (filter.exists === false) return index.isCounted && given.length === 1 ? ofMissing(uuid, name, index) : []
  const conditions = keyConditions(uuid, filter, index)
  if (conditions.length === 0) return []
  const where = allOf(conditions.map(({ where }) => where))
  // `ne` reads the keys below and those above: two ranges of the index.
  const { ne } = filter
  const isSplit = ne != null && isKey(index, ne)
  const parts = isSplit ? [sql<boolean>`k.key < ${ne}`, sql<boolean>`k.key > ${ne}`] : [sql<boolean>`true`]
  const codes = parts.map((part) => sql`select k.product_code from ${keysOf(uuid, index.slot, allOf([where, part]))}`)
  const keys = { index, where: allOf(conditions.map(({ where, range }) => range ?? where)) }
  return {
    codes: sql.join(codes, sql` union all `),
    keys,
    ...lengthOf(uuid, keys),
    isExact: given.length === conditions.length && conditions.every(({ isExact }) => isExact),
    isLoose: given.length > conditions.length || conditions.some(({ isLoose }) => isLoose),
    isSorted: !isSplit && conditions.some(({ isSorted }) => isSorted),
  }
}

/** How many products have the keys, by the counts of values: with all values that were cut. */
function lengthOf(uuid: string | null, { index, where }: Keys): { length?: RawBuilder<number> } {
  if (!index.isCounted) return {}
  const counts = countsOfKeys(uuid, index)
  return { length: sql`(select coalesce(sum(products), 0)::int from (${counts}) k where key is null or ${where})` }
}

/** The products that do not have an attribute. */
function ofMissing(uuid: string | null, name: string, { slot }: KeyIndex): CodeList {
  const having = sql`(select coalesce(sum(products), 0)::int from value_count where store_uuid = ${uuid} and slot = ${slot})`
  return {
    codes: sql`select v.product_code from product_value v where v.store_uuid = ${uuid} and not v.attributes ? ${name}`,
    length: sql`${totalOf(uuid)} - ${having}`,
    isExact: true,
    isScan: true,
  }
}

function ofStatuses(uuid: string | null, statuses: readonly string[]): CodeList {
  const index: KeyIndex = { type: 'text', slot: statusSlot, isCounted: true }
  const { where, range = where, isSorted } = isKeyOf(index, statuses)
  const codes = sql`select k.product_code from ${keysOf(uuid, statusSlot, where)}`
  const keys = { index, where: range }
  return { codes, keys, ...lengthOf(uuid, keys), isExact: true, isSorted }
}

/** The products that were created in a time, ordered by it: else PostgreSQL may read all by their codes. */
function ofCreation(uuid: string | null, filter: ProductFilter): CodeList[] {
  const conditions = creationConditions(sql`k.created_at`, filter)
  if (conditions.length === 0) return []
  const codes = sql`select k.product_code from ${creationsOf(uuid, allOf(conditions))} order by k.created_at`
  return [{ codes, isExact: true }]
}

/** The products whose codes have a prefix. */
export function prefixList(uuid: string | null, filter: ProductFilter): CodeList[] {
  if (filter.codePrefix == null) return []
  const where = allOf(prefixConditions(sql`k.product_code`, filter))
  return [{ codes: sql`select k.product_code from product k where k.store_uuid = ${uuid} and ${where}`, isExact: true }]
}

/** Products `k` by the index of their creation. */
export function creationsOf(uuid: string | null, where: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`product k where k.store_uuid = ${uuid} and k.created_at > '-infinity' and ${where}`
}

/** The products that are counted as blocked on a channel. */
function ofBlocked(uuid: string | null, channel: string): CodeList {
  const codes = sql`
      select g.product_code from channel_readiness c join product_gap g
        on g.store_uuid = ${uuid} and g.channel = ${channel} and g.build = c.build and g.mask & c.required <> 0
      where c.store_uuid = ${uuid} and c.channel = ${channel} and c.state = 'current'`
  return { codes, isExact: true }
}
