import { type RawBuilder, sql } from 'kysely'
import { hasAtMost } from '../../text.ts'
import type { AttributeDefinition } from '../attributes/attribute-rules.ts'

/** The declared type of an attribute, text by default, and its slot in `product_key` if its values are indexed. */
export interface AttributeIndex {
  type: AttributeDefinition['type']
  slot: number | null
  /** Whether `value_count` has the numbers of its values. */
  isCounted: boolean
}

/** The slot of `product_key` that has the statuses of products, in a store with an indexed attribute. */
export const statusSlot = 0

/** `value_count` cuts values to this length (product-values.sql). */
export const countedCharacters = 255
/** The values of an attribute are counted while they are at most so many (product-values.sql). */
export const maxCounted = 5_000

/** The length of the key of a value that is not a number (product-values.sql). */
export const keyCharacters = 100

/** The key of a value. PostgreSQL evaluates it once, since the plan is made for the value. */
export function keyOf({ type }: AttributeIndex, value: string): RawBuilder<string> {
  return sql`value_key(${value}::text, ${type === 'number'}::boolean)`
}

/** PostgreSQL's numbers have more digits; the gateway does not treat longer texts as numbers. */
export const maxDigits = 1_000

/** Whether a value is its own key, and no other value has this key. */
export function isKey({ type }: AttributeIndex, value: string): boolean {
  return type !== 'number' && hasAtMost(value, keyCharacters - 1)
}
