import { invalidRequest } from '../../../errors.ts'
import { isStorable, parsedJson, shown, timeOf } from '../../../text.ts'
import { nameFault } from '../../attributes/attribute-rules.ts'
import { isProductStatus } from '../../enumerations.ts'

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
export function partsOfKey({ field }: ProductOrder, key: string): { value: OrderValue; code: string } {
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
