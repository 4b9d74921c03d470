import { type RawBuilder, sql } from 'kysely'
import { containing } from '../../../conditions.ts'
import {
  type AttributeIndex,
  countedCharacters,
  isKey,
  keyCharacters,
  keyOf,
  statusSlot,
} from '../../../values/value-keys.ts'
import { beyondAll } from '../matching-products.ts'
import type { AttributeFilter } from '../product-filter.ts'
import { boundFault } from './attribute-indexes.ts'

/** An attribute, or the status, with its slot in `product_key`. */
export type KeyIndex = AttributeIndex & { slot: number }

/** Rows `k` of an index that meet a condition. */
export interface Keys {
  index: KeyIndex
  where: RawBuilder<boolean>
}

/** The rows of a slot in `product_key` that meet a condition. */
export function keysOf(uuid: string | null, slot: number, where: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`product_key k where k.store_uuid = ${uuid} and k.slot = ${slot} and ${where}`
}

/** How many products have a key, by the counts of values: null is the key of values that were cut. */
export function countsOfKeys(uuid: string | null, { slot, type }: KeyIndex): RawBuilder<unknown> {
  if (slot === statusSlot)
    return sql`select status as key, count as products from product_total where store_uuid = ${uuid}`
  const key = sql`case when length(value) < ${countedCharacters}::integer then value_key(value, ${type === 'number'}::boolean) end`
  return sql`select ${key} as key, products from value_count where store_uuid = ${uuid} and slot = ${slot} and products > 0`
}

/** A condition on the keys of an attribute that the values of matching products meet. */
interface KeyCondition {
  where: RawBuilder<boolean>
  /** The same as a range, if it is an equality: that would take the key from the order that PostgreSQL knows. */
  range?: RawBuilder<boolean>
  /** Whether no other values meet it. */
  isExact: boolean
  /** Whether most values that meet it may not match. */
  isLoose?: boolean
  /** Whether the index has the codes of these keys in their order. */
  isSorted?: boolean
}

const operators = [
  ['gt', sql`>`, sql`>=`],
  ['gte', sql`>=`, sql`>=`],
  ['lt', sql`<`, sql`<=`],
  ['lte', sql`<=`, sql`<=`],
] as const

/** The conditions on the keys `k` of a filter; none for a condition that keys do not tell. */
export function keyConditions(uuid: string | null, filter: AttributeFilter, index: KeyIndex): KeyCondition[] {
  return index.type === 'number' ? ofNumber(filter, index) : ofText(uuid, filter, index)
}

/** Different texts of a number have the same key: its equality is not exact. A text that is no number has no key. */
function ofNumber(filter: AttributeFilter, index: AttributeIndex): KeyCondition[] {
  const isNumber = (text: string) => boundFault('number', text) === undefined
  const { eq, in: list } = filter
  return [
    ...(eq != null && isNumber(eq) ? [{ ...isKeyOf(index, [eq]), isExact: false }] : []),
    ...(list?.every(isNumber) ? [{ ...isKeyOf(index, list), isExact: false }] : []),
    ...rangesOf(filter, index),
  ]
}

/** Values of more characters than a key are compared again in the products. */
function ofText(uuid: string | null, filter: AttributeFilter, index: KeyIndex): KeyCondition[] {
  const { eq, ne, in: list, contains, startsWith, exists } = filter
  const all = { where: sql<boolean>`true`, isExact: false, isLoose: true }
  const isOwnKey = (text: string) => isKey(index, text)
  return [
    ...(eq == null ? [] : [{ ...isKeyOf(index, [eq]), isExact: isOwnKey(eq) }]),
    ...(list == null ? [] : [{ ...isKeyOf(index, list), isExact: list.every(isOwnKey) }]),
    ...(startsWith == null
      ? []
      : [
          {
            where: sql<boolean>`k.key >= ${keyOf(index, startsWith)} and k.key <= ${startsWith + beyondAll}`,
            isExact: false,
          },
        ]),
    ...rangesOf(filter, index),
    ...(contains == null ? [] : [index.isCounted ? { where: hasPart(uuid, contains, index), isExact: false } : all]),
    ...(exists == null ? [] : [{ where: sql<boolean>`true`, isExact: true }]),
    ...(ne == null ? [] : [isOwnKey(ne) ? { where: sql<boolean>`k.key <> ${ne}`, isExact: true } : all]),
  ]
}

/** Whether a key is that of a counted value with a part, or of one that was cut: its rest is not known. */
function hasPart(uuid: string | null, part: string, { slot }: KeyIndex): RawBuilder<boolean> {
  return sql<boolean>`k.key = any(array(
          select left(value, ${keyCharacters}::integer) from value_count
          where store_uuid = ${uuid} and slot = ${slot} and products > 0
            and (value collate "default" ilike ${containing(part)} or length(value) >= ${countedCharacters}::integer)))`
}

/** Whether `k.key` is the key of one of the values. */
export function isKeyOf(index: AttributeIndex, values: readonly string[]): Omit<KeyCondition, 'isExact'> {
  const [value, ...others] = values
  if (value === undefined || others.length > 0) {
    const keys = sql`select value_key(v, ${index.type === 'number'}::boolean) from unnest(${[...values]}::text[]) v`
    return { where: sql<boolean>`k.key = any(array(${keys}))` }
  }
  const key = keyOf(index, value)
  return { where: sql<boolean>`k.key = ${key}`, range: sql<boolean>`k.key between ${key} and ${key}`, isSorted: true }
}

function rangesOf(filter: AttributeFilter, index: AttributeIndex): KeyCondition[] {
  return operators.flatMap(([field, operator, orEqual]) => {
    const bound = filter[field]
    if (bound == null) return []
    const isExact = index.type === 'number' || isKey(index, bound)
    return [{ where: sql<boolean>`k.key ${isExact ? operator : orEqual} ${keyOf(index, bound)}`, isExact }]
  })
}
