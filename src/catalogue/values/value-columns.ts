import { type RawBuilder, sql } from 'kysely'
import { hasAtMost } from '../../text.ts'
import type { AttributeDefinition } from '../attributes/attribute-rules.ts'

/**
 * What reads know of an attribute: its declared type, text if there is none, and its slot, if its values are indexed.
 */
export interface KnownAttribute {
  type: AttributeDefinition['type']
  slot: number | null
  /** Whether there are counts of its values: not if they are very many. */
  isCounted: boolean
}

/** Values in `value_count` are cut after so many characters: as in product-values.sql, which a test compares. */
export const countedCharacters = 255
/** The values of an attribute that has more are not counted: likewise. */
export const mostCounted = 5_000

/** How many characters of a value its key has, if it is no number's (0011-filterable.sql). */
export const keyCharacters = 100

/** The column of the keys of a slot, in rows `p` of `product_value`. */
export function keyColumn(slot: number): RawBuilder<string | null> {
  return sql.ref(`p.k${slot}`)
}

/** The values of a slot. */
export function valueColumn(slot: number): RawBuilder<string | null> {
  return sql`p.texts[${slot}::integer]`
}

/**
 * The key that a value has, null for none. As in product-values.sql, but a value for the statement: its plan is one for
 * any values, and would call a function for each row.
 */
export function keyOf({ type }: KnownAttribute, value: string): RawBuilder<string | null> {
  return sql`${type === 'number' ? numberKey(value) : Array.from(value).slice(0, keyCharacters).join('')}::text`
}

/** number_key of product-values.sql. */
export function numberKey(value: string): string | null {
  const [, sign, whole = '', fraction = ''] = /^(-?)0*([0-9]*)(?:[.]([0-9]+))?$/.exec(value) ?? []
  if (sign === undefined || value.length > mostDigits || !/^-?[0-9]/.test(value)) return null
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return '1'
  const exponent = whole === '' ? digits.length - fraction.length : whole.length
  const key = `${5_000 + exponent}${digits.replace(/0+$/, '')}`
  return sign === '' ? `2${key}` : `0${key.replace(/[0-9]/g, (digit) => String(9 - Number(digit)))}~`
}

/** PostgreSQL's numbers have more; longer texts are not taken for numbers. */
export const mostDigits = 1_000

/** Whether a value is its own key, and no other value has this key. */
export function isKey({ type }: KnownAttribute, value: string): boolean {
  return type !== 'number' && hasAtMost(value, keyCharacters - 1)
}
