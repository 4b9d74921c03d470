import { type RawBuilder, sql } from 'kysely'
import { hasAtMost } from '../../../text.ts'
import type { AttributeDefinition } from '../../attributes/attribute-rules.ts'
import { type Condition, containing, type Sql, withoutFalse } from '../../conditions.ts'
import type { AttributeFilter } from './product-filter.ts'

/** The declared type of an attribute, if any, and its slot, if `product_index` has the values of all products. */
interface Attribute {
  type?: AttributeDefinition['type'] | undefined
  slot?: number | undefined
}

/** Which table a query reads as `p`, and of which store. */
export interface ValueSource {
  table: 'product' | 'product_index'
  uuid: string | null
  attributeOf(name: string): Attribute
}

/** The number of first characters by which texts are compared. */
export const comparedCharacters = 255

/** A text with more characters is no number: the number could be too large for `float8`. */
export const maxDigits = 300

export function isNumber(text: string): boolean {
  return text.length <= maxDigits && /^-?[0-9]+([.][0-9]+)?$/.test(text)
}

/** The text as a number, or null: the cast cannot fail. */
export function asNumber(text: RawBuilder<string | null>): RawBuilder<number | null> {
  return sql<number | null>`(case when length(${text}) <= ${maxDigits}::integer and ${text} ~ '^-?[0-9]+([.][0-9]+)?$'
    then ${text}::float8 end)`
}

/**
 * How the values of an attribute of products `p` compare, the same in both sources: as numbers if the attribute is
 * declared so; without a declaration those that are numbers by size, and before others; all else as texts, by code
 * points, of which the first characters count.
 */
export interface Values {
  as: 'numbers' | 'texts' | 'both'
  /** Null without the attribute. */
  text: RawBuilder<string | null>
  /** Null unless the value is a number. */
  number: RawBuilder<number | null>
  /** The whole value. */
  whole: RawBuilder<string | null>
}

/** Added to a prefix, it sorts after every text with that prefix. */
export const beyondAll = '\u{10ffff}'.repeat(comparedCharacters)

export function valuesOf({ table, uuid, attributeOf }: ValueSource, name: string): Values {
  const { type, slot } = attributeOf(name)
  const as = type === undefined ? 'both' : type === 'number' ? 'numbers' : 'texts'
  if (table === 'product') {
    const whole = sql<string | null>`(p.attributes ->> ${name}::text)`
    const text = sql<string | null>`left(${whole}, ${comparedCharacters}::integer) collate "C"`
    return { as, text, number: asNumber(whole), whole }
  }
  const column = <T>(kind: 't' | 'n') => sql<T | null>`${sql.id('p', `${kind}${slot}`)}`
  const whole = sql<string | null>`(select attributes ->> ${name}::text from product w
    where w.store_uuid = ${uuid} and w.product_code = p.product_code)`
  return { as, text: column<string>('t'), number: column<number>('n'), whole }
}

/**
 * The conditions of a filter on values: those that an index finds, whose column is `key`, and others. A product without
 * the attribute meets `exists: false`, also together with `ne`, and nothing else.
 */
export function compare(filter: AttributeFilter, values: Values) {
  const { as, text, number } = values
  const { eq, ne, in: list, contains, startsWith, exists } = filter
  const found = [
    exists === true && sql<boolean>`${text} is not null`,
    eq != null && isOneOf(values, [eq]),
    list != null && isOneOf(values, list),
    startsWith != null && sql<boolean>`${text} >= ${cut(startsWith)} and ${text} <= ${cut(startsWith) + beyondAll}`,
    ...operators.map(([bound, operator]) => filter[bound] != null && isBeyond(values, operator, filter[bound])),
  ]
  const checked = [
    exists === false && sql<boolean>`${text} is null`,
    ne != null && exists !== false && differs(values, ne),
    contains != null && sql<boolean>`${text} collate "default" ilike ${containing(cut(contains))}`,
  ]
  const isByNumber = [eq, list, ...operators.map(([bound]) => filter[bound])].some((operand) => operand != null)
  const column = as === 'numbers' && isByNumber ? number : text
  const key = (list?.length ?? 0) > 1 ? undefined : column
  return { found: withoutFalse(found), checked: withoutFalse(checked), key }
}

const operators = [
  ['gt', sql`>`],
  ['gte', sql`>=`],
  ['lt', sql`<`],
  ['lte', sql`<=`],
] as const

/** Numbers equal numbers. A text is found by its first characters, then compared as a whole. */
function isOneOf({ as, text, number, whole }: Values, given: readonly string[]): Condition {
  if (as === 'numbers') return isAmong(number, numbers, given.filter(isNumber).map(Number))
  const isCut = given.some((value) => !hasAtMost(value, comparedCharacters - 1))
  const isFound = isAmong(text, texts, given.map(cut))
  return isCut ? sql<boolean>`(${isFound} and ${isAmong(whole, texts, given)})` : isFound
}

const numbers = sql`float8`
export const texts = sql`text`

/** One value is compared by `=`: then the index has the products in the order of what comes after it. */
export function isAmong(column: Sql, type: Sql, values: readonly (string | number)[]): Condition {
  const [value, ...others] = values
  if (value !== undefined && others.length === 0) return sql<boolean>`${column} = ${value}::${type}`
  return sql<boolean>`${column} = any(${[...values]}::${type}[])`
}

function differs({ as, text, number }: Values, value: string): Condition {
  if (as !== 'numbers') return sql<boolean>`${text} <> ${cut(value)}`
  const isOther = isNumber(value) ? sql`${number} is distinct from ${Number(value)}::float8` : sql`true`
  return sql<boolean>`(${text} is not null and ${isOther})`
}

function isBeyond({ as, text, number }: Values, operator: Sql, bound: string): Condition {
  const bySize = sql<boolean>`${number} ${operator} ${Number(bound)}::float8`
  const byText = sql<boolean>`${text} ${operator} ${cut(bound)}`
  if (as === 'numbers') return bySize
  if (as === 'texts' || !isNumber(bound)) return byText
  return sql<boolean>`(case when ${number} is null then ${byText} else ${bySize} end)`
}

function cut(text: string): string {
  return hasAtMost(text, comparedCharacters) ? text : [...text].slice(0, comparedCharacters).join('')
}

/** SQL: the names of the searchable attributes of a store, in their order. */
export const searchableNames = (storeUuid: string | null): RawBuilder<string[]> => sql<string[]>`array(
      select name from attribute_definition where store_uuid = ${storeUuid} and searchable order by name)`

/** SQL: the values of some attributes of a product `p`; empty if it has none. */
export const joinedValues = (names: readonly string[]): RawBuilder<string> =>
  sql<string>`concat_ws(chr(31), ${sql.join(names.map((name) => sql`p.attributes ->> ${name}::text`))})`

/** SQL: what a search compares of a product `p` with these searchable attributes. */
export const searchedText = (names: readonly string[]): RawBuilder<string> =>
  sql<string>`folded(${joinedValues(names)})`

/** SQL: whether such a text has a substring. */
export const hasText = (text: RawBuilder<string>, substring: string): RawBuilder<boolean> =>
  sql<boolean>`${text} like (select folded(${containing(substring)}::text))`
