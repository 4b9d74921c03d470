import { sql } from 'kysely'
import { invalidRequest } from '../../../errors.ts'
import { isStorable, parsedJson, shown, timeOf } from '../../../text.ts'
import { nameFault } from '../../attributes/attribute-rules.ts'
import type { Condition, KeysetPage, Sql } from '../../conditions.ts'
import { isProductStatus } from '../../enumerations.ts'
import { type ValueSource, valuesOf } from './values.ts'

/** By a field, then by the code; products without a value come last. */
export interface ProductOrder {
  field: 'code' | 'createdAt' | 'updatedAt' | 'status' | 'attribute'
  attribute?: string | null | undefined
  direction?: 'asc' | 'desc' | null | undefined
}

/** The value that orders a product: a number is compared by size. Null for a product without one. */
export type OrderValue = string | number | null

export const byCode: ProductOrder = { field: 'code' }

/** The order. Throws `invalid_request` unless it has an attribute just where it is by one. */
export function requireGoodOrder(order: ProductOrder | null | undefined): ProductOrder {
  const { field, attribute } = order ?? byCode
  const at = 'orderBy.attribute'
  const isByAttribute = field === 'attribute'
  const badName = attribute == null ? 'got none' : nameFault(attribute)
  if (isByAttribute ? !badName : attribute == null) return order ?? byCode
  const details = isByAttribute
    ? `${at} must name the attribute to order by: ${badName}`
    : `${at} must be left out unless field is ATTRIBUTE; got ${shown(attribute)}`
  throw invalidRequest([{ field: at, details }])
}

/** The key of a product's cursor: the code alone where that orders the products. */
export function cursorKey(order: ProductOrder, value: OrderValue, code: string): string {
  return order.field === 'code' ? code : JSON.stringify([value, code])
}

/** The value and the code in such a key. */
function partsOfKey({ field }: ProductOrder, key: string): { value: OrderValue; code: string } {
  if (field === 'code') return { value: null, code: key }
  const [value, code] = parsedJson(key) as [OrderValue, string]
  return { value, code }
}

/** Whether a text is a key of the order's cursors. */
export function isCursorKey(order: ProductOrder, text: string): boolean {
  if (order.field === 'code') return isStorable(text)
  const parsed = parsedJson(text)
  if (!Array.isArray(parsed) || parsed.length !== 2) return false
  const [value, code] = parsed as unknown[]
  return isText(code) && isValue(order, value)
}

function isValue({ field }: ProductOrder, value: unknown): boolean {
  if (field === 'attribute') return value === null || Number.isFinite(value) || isText(value)
  if (!isText(value)) return false
  return field === 'status' ? isProductStatus(value) : cursorTime.test(value) && timeOf(value) !== undefined
}

/** As `to_char` writes it: PostgreSQL has neither a year 0 nor all offsets of RFC 3339. */
const cursorTime = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

function isText(value: unknown): value is string {
  return typeof value === 'string' && isStorable(value)
}

/** A name that no other order has: a cursor is valid for one order only. */
export function nameOfOrder({ field, attribute, direction }: ProductOrder): string {
  return [field, direction ?? 'asc', ...(attribute == null ? [] : [attribute])].join(' ')
}

/** Products that follow each other in an order: those with a number, with a text, or without a value. */
interface Segment {
  kind: 'number' | 'text' | 'none'
  /** Products without a value: by code, in both directions. */
  isLast?: true
  /** Which products `p` these are. */
  where: Condition | false
  /** What orders them, before the code. */
  key?: Sql
  /** The key as JSON, for cursors, where it is no text. */
  json?: Sql
  type?: Sql
}

/** A page between cursors of an order. `orAt`: whether a product at the place of the cursor itself is on the page. */
export type ProductPage = KeysetPage & { orAt?: { after: boolean; before: boolean } }

/** Some of the products of a page, in sequence. */
export interface PageSegment {
  where: (Condition | false)[]
  by: Sql
  /** The value of the order as JSON. */
  value: Sql
}

/** The values between which a page is read, in the direction of reading; undefined: it is not bounded. */
export function boundsOf(order: ProductOrder, { after, before, backwards }: ProductPage) {
  const valueAt = (key?: string): OrderValue | undefined =>
    key === undefined || order.field === 'code' ? undefined : partsOfKey(order, key).value
  const [begin, end] = backwards ? [before, after] : [after, before]
  return { begin: valueAt(begin), end: valueAt(end) }
}

/** The segments of a page of the products `p` of a source. Throws `invalid_request` for a cursor of another type. */
export function planPage(source: ValueSource, order: ProductOrder, page: ProductPage): PageSegment[] {
  const all = segmentsOf(source, order)
  const places = (['after', 'before'] as const).flatMap((side) => {
    return page[side] === undefined ? [] : [{ side, ...placeOf(order, page[side], all) }]
  })
  const segments = all.flatMap((segment, nth): PageSegment[] => {
    const isOutside = places.some(({ side, at }) => (side === 'after' ? nth < at : nth > at))
    if (isOutside) return []
    const isDescending = order.direction === 'desc' && !segment.isLast
    const direction = isDescending === page.backwards ? sql`asc` : sql`desc`
    const bounds = places
      .filter(({ at }) => at === nth)
      .map(({ side, value, code }) => {
        const operator = operatorOf((side === 'after') === isDescending, page.orAt?.[side] === true)
        if (!segment.key) return sql<boolean>`p.product_code ${operator} ${code}`
        const place = sql`(${value}::${segment.type ?? sql`text`}, ${code})`
        return sql<boolean>`(${segment.key}, p.product_code) ${operator} ${place}`
      })
    const by = segment.key
      ? sql`${segment.key} ${direction}, p.product_code ${direction}`
      : sql`p.product_code ${direction}`
    const value = segment.json ?? (segment.key ? sql`to_json(${segment.key})` : sql`null::json`)
    return [{ where: [segment.where, ...bounds], by, value }]
  })
  return page.backwards ? segments.reverse() : segments
}

function operatorOf(isLess: boolean, orEqual: boolean) {
  if (isLess) return orEqual ? sql`<=` : sql`<`
  return orEqual ? sql`>=` : sql`>`
}

function segmentsOf(source: ValueSource, { field, attribute, direction }: ProductOrder): Segment[] {
  switch (field) {
    case 'code':
      return [{ kind: 'none', where: false }]
    case 'createdAt':
    case 'updatedAt': {
      const key = field === 'createdAt' ? sql`p.created_at` : sql`p.updated_at`
      const json = sql`to_json(to_char(${key} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`
      return [{ kind: 'text', where: false, key, json, type: sql`timestamptz` }]
    }
    case 'status':
      return [{ kind: 'text', where: false, key: sql`p.status collate "C"` }]
    case 'attribute':
      return attributeSegments(source, attribute ?? '', direction === 'desc')
    default:
      return field satisfies never
  }
}

/** Products without a value come last, by code ascending, in both directions. */
function attributeSegments(source: ValueSource, name: string, isDescending: boolean): Segment[] {
  const { as, text, number } = valuesOf(source, name)
  const numbers: Segment = { kind: 'number', where: sql`${number} is not null`, key: number, type: sql`float8` }
  const texts: Segment = { kind: 'text', where: sql`${text} is not null`, key: text }
  if (as === 'numbers') return [numbers, { kind: 'none', isLast: true, where: sql`${number} is null` }]
  const none: Segment = { kind: 'none', isLast: true, where: sql`${text} is null` }
  if (as === 'texts') return [texts, none]
  const otherTexts = { ...texts, where: sql<boolean>`(${text} is not null and ${number} is null)` }
  return isDescending ? [otherTexts, numbers, none] : [numbers, otherTexts, none]
}

/** The place of a cursor: the index of its segment, and the value and code of the product there. */
function placeOf(order: ProductOrder, key: string, segments: readonly Segment[]) {
  const { value, code } = partsOfKey(order, key)
  const kind = value === null ? 'none' : typeof value === 'number' ? 'number' : 'text'
  const at = segments.findIndex((segment) => segment.kind === kind)
  if (at < 0) {
    const details = 'after and before must be cursors from this connection; the type of the attribute has changed'
    throw invalidRequest([{ field: 'after', details }])
  }
  return { at, value, code }
}
