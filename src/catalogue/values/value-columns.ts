import { type RawBuilder, sql } from 'kysely'
import { hasAtMost } from '../../text.ts'
import type { AttributeDefinition } from '../attributes/attribute-rules.ts'

/**
 * What reads know of an attribute: its declared type, text if there is none, and its slot, if its values are indexed.
 */
export interface KnownAttribute {
  type: AttributeDefinition['type']
  slot: number | null
}

/** How many characters of a value its key has, if it is no number's (0011-filterable.sql). */
export const keyCharacters = 100

/** The column of the keys of a slot, in rows `p` of `product_value`. */
export function keyColumn(slot: number): RawBuilder<string | null> {
  return sql.ref(`p.k${slot}`)
}

/** The column of the values that are not their key. */
export function restColumn(slot: number): RawBuilder<string | null> {
  return sql.ref(`p.v${slot}`)
}

export function valueColumn(slot: number): RawBuilder<string | null> {
  return sql`coalesce(${restColumn(slot)}, ${keyColumn(slot)})`
}

/** The key that a value has. */
export function keyOf({ type }: KnownAttribute, value: string): RawBuilder<string | null> {
  return type === 'number' ? sql`number_key(${value}::text)` : sql`left(${value}::text, ${keyCharacters}::integer)`
}

/** Whether a value is its own key, and no other value has this key. */
export function isKey({ type }: KnownAttribute, value: string): boolean {
  return type !== 'number' && hasAtMost(value, keyCharacters - 1)
}
