import { type RawBuilder, sql } from 'kysely'
import { customPlan } from '../../../database/connection/session.ts'
import type { Catalogue } from '../../catalogue.ts'
import { allOf, isBare } from '../../conditions.ts'
import { type AttributeIndex, isKey, keyOf, statusSlot } from '../../values/value-keys.ts'
import { type AttributeIndexes, boundFault } from './attribute-indexes.ts'
import { beyondAll } from './matching-products.ts'
import type { AttributeFilter, ProductFilter } from './product-filter.ts'

/** An attribute, or the status, with its slot in `product_key`. */
type KeyIndex = AttributeIndex & { slot: number }

/** Rows `k` of an index that meet a condition. */
export interface Keys {
  index: KeyIndex
  where: RawBuilder<boolean>
}

/** A query of product codes that includes all products that match a filter, read from an index. */
export interface CodeList {
  codes: RawBuilder<unknown>
  /** What it reads, if the codes are those of an attribute or a status. */
  keys?: Keys
  /** Whether the list has no other products than those that meet the condition. */
  isExact: boolean
  /** Whether the index returns the codes in their order. */
  isSorted: boolean
  /** Up to so many products are read by their codes; with more, a page is filled sooner in its own order. */
  maxRead: number
}

const maxRead = 25_000
/** The same for conditions that most products meet, if any. */
const maxReadOfWeak = 500

/** The same for statuses: a page in any order soon finds products of a more frequent status. */
const maxReadOfStatus = 5_000

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
    ...(isByStatus && filter.status != null ? [ofStatuses(uuid, filter.status)] : []),
    ...(filter.blockedOn == null ? [] : [ofBlocked(uuid, filter.blockedOn)]),
  ]
  return [...ofAttributes, ...ofOthers, ...within]
}

/** Whether products match a filter just if all of its lists have them. */
export function areSufficient(filter: ProductFilter, lists: readonly CodeList[]): boolean {
  return lists.length > 0 && lists.every(({ isExact }) => isExact) && conditionsOf(filter) === lists.length
}

function conditionsOf({ status, attributes, blockedOn, and, ...others }: ProductFilter): number {
  if (!isBare(others)) return Number.NaN
  const within = (and ?? []).reduce((sum, part) => sum + conditionsOf(part), 0)
  return (attributes ?? []).length + (status == null ? 0 : 1) + (blockedOn == null ? 0 : 1) + within
}

/**
 * The shortest of the lists and its length, if products can be read by it. `isInOrder`: for a page in the order of
 * codes, where a sorted list may have any length. One statement; none for a single sorted list.
 */
export async function shortestList(
  { db }: Catalogue,
  lists: readonly CodeList[],
  isInOrder: boolean,
): Promise<{ list: CodeList; length: number } | undefined> {
  const [first] = lists
  const sorted = isInOrder ? lists.find(({ isSorted }) => isSorted) : undefined
  const longest = sorted && { list: sorted, length: Number.POSITIVE_INFINITY }
  if (!first || (lists.length === 1 && longest)) return longest
  const counts = lists.map(({ codes, maxRead }) => sql`(select count(*)::int from (${codes} limit ${maxRead + 1}) l)`)
  const { rows } = await sql<{
    counts: number[]
  }>`${customPlan} select array[${sql.join(counts)}] as counts`.execute(db)
  const counted = lists.map((list, i) => ({ list, length: rows[0]?.counts[i] ?? Number.NaN }))
  const short = counted.filter(({ list, length }) => length <= list.maxRead).sort((a, b) => a.length - b.length)
  return short[0] ?? longest
}

/** The rows of a slot in `product_key` that meet a condition. */
export function keysOf(uuid: string | null, slot: number, where: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`product_key k where k.store_uuid = ${uuid} and k.slot = ${slot} and ${where}`
}

function ofAttribute(uuid: string | null, filter: AttributeFilter, index: KeyIndex): CodeList | [] {
  const conditions = index.type === 'number' ? ofNumber(filter, index) : ofText(filter, index)
  if (conditions.length === 0 || filter.exists === false) return []
  const where = allOf(conditions.map(({ where }) => where))
  const { name: _, ...fields } = filter
  const given = Object.values(fields).filter((value) => value != null)
  // `ne` reads the keys below and those above: two ranges of the index.
  const { ne } = filter
  const isSplit = ne != null && isKey(index, ne)
  const parts = isSplit ? [sql<boolean>`k.key < ${ne}`, sql<boolean>`k.key > ${ne}`] : [sql<boolean>`true`]
  const codes = parts.map((part) => sql`select k.product_code from ${keysOf(uuid, index.slot, allOf([where, part]))}`)
  return {
    codes: sql.join(codes, sql` union all `),
    keys: { index, where },
    isExact: given.length === conditions.length && conditions.every(({ isExact }) => isExact),
    isSorted: !isSplit && conditions.some(({ isSorted }) => isSorted),
    maxRead: conditions.every(({ isWeak }) => isWeak) ? maxReadOfWeak : maxRead,
  }
}

interface KeyCondition {
  where: RawBuilder<boolean>
  isExact: boolean
  isSorted?: boolean
  isWeak?: boolean
}

const operators = [
  ['gt', sql`>`, sql`>=`],
  ['gte', sql`>=`, sql`>=`],
  ['lt', sql`<`, sql`<=`],
  ['lte', sql`<=`, sql`<=`],
] as const

/** Different texts of a number have the same key: its equality is not exact. A text that is no number has no key. */
function ofNumber(filter: AttributeFilter, index: AttributeIndex): KeyCondition[] {
  const isNumber = (text: string) => boundFault('number', text) === undefined
  const { eq, in: list } = filter
  return [
    ...(eq != null && isNumber(eq) ? [{ where: equals(index, [eq]), isExact: false, isSorted: true }] : []),
    ...(list?.every(isNumber) ? [{ where: equals(index, list), isExact: false }] : []),
    ...rangesOf(filter, index),
  ]
}

/** Values of more characters than a key are compared again in the products. */
function ofText(filter: AttributeFilter, index: AttributeIndex): KeyCondition[] {
  const { eq, ne, in: list, contains, startsWith, exists } = filter
  const all = { where: sql<boolean>`true`, isWeak: true }
  const isOwnKey = (text: string) => isKey(index, text)
  return [
    ...(eq == null ? [] : [{ where: equals(index, [eq]), isExact: isOwnKey(eq), isSorted: true }]),
    ...(list == null ? [] : [{ where: equals(index, list), isExact: list.every(isOwnKey) }]),
    ...(startsWith == null
      ? []
      : [
          {
            where: sql<boolean>`k.key >= ${keyOf(index, startsWith)} and k.key <= ${startsWith + beyondAll}`,
            isExact: false,
          },
        ]),
    ...rangesOf(filter, index),
    ...(contains == null ? [] : [{ ...all, isExact: false }]),
    ...(exists == null ? [] : [{ ...all, isExact: true }]),
    ...(ne == null
      ? []
      : [isOwnKey(ne) ? { ...all, where: sql<boolean>`k.key <> ${ne}`, isExact: true } : { ...all, isExact: false }]),
  ]
}

function equals(index: AttributeIndex, values: readonly string[]): RawBuilder<boolean> {
  const [value = '', ...others] = values
  if (others.length === 0) return sql<boolean>`k.key = ${keyOf(index, value)}`
  return sql<boolean>`k.key in (${sql.join(values.map((text) => keyOf(index, text)))})`
}

function rangesOf(filter: AttributeFilter, index: AttributeIndex): KeyCondition[] {
  return operators.flatMap(([field, operator, orEqual]) => {
    const bound = filter[field]
    if (bound == null) return []
    const isExact = index.type === 'number' || isKey(index, bound)
    return [{ where: sql<boolean>`k.key ${isExact ? operator : orEqual} ${keyOf(index, bound)}`, isExact }]
  })
}

function ofStatuses(uuid: string | null, statuses: readonly string[]): CodeList {
  const [status, ...others] = statuses
  const isSorted = status !== undefined && others.length === 0
  const where = isSorted ? sql<boolean>`k.key = ${status}` : sql<boolean>`k.key = any(${[...statuses]}::text[])`
  const codes = sql`select k.product_code from ${keysOf(uuid, statusSlot, where)}`
  const index: KeyIndex = { type: 'text', slot: statusSlot, isCounted: true }
  return { codes, keys: { index, where }, isExact: true, isSorted, maxRead: maxReadOfStatus }
}

/** The products that are counted as blocked on a channel. */
function ofBlocked(uuid: string | null, channel: string): CodeList {
  const codes = sql`
      select g.product_code from channel_readiness c join product_gap g
        on g.store_uuid = ${uuid} and g.channel = ${channel} and g.build = c.build and g.mask & c.required <> 0
      where c.store_uuid = ${uuid} and c.channel = ${channel} and c.state = 'current'`
  return { codes, isExact: true, isSorted: false, maxRead }
}
