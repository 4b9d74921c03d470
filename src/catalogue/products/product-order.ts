import { type RawBuilder, sql } from 'kysely'
import { invalidRequest } from '../../errors.ts'
import { isStorable, parsedJson, shown, timeOf } from '../../text.ts'
import { nameFault } from '../attributes/attribute-rules.ts'
import type { KeysetPage } from '../conditions.ts'
import { isProductStatus } from '../enumerations.ts'
import { type AttributeTypes, boundFault } from './attribute-types.ts'
import { orderedValue } from './matching-products.ts'

/** By a field, then by the code; products without a value come last. */
export interface ProductOrder {
  field: 'code' | 'createdAt' | 'updatedAt' | 'status' | 'attribute'
  attribute?: string | null | undefined
  direction?: 'asc' | 'desc' | null | undefined
}

export const byCode: ProductOrder = { field: 'code' }

/** Attributes are ordered by so many characters of their values, and cursors are not longer. */
const orderedCharacters = 100

/** A place between products: null for those without a value. */
interface Position {
  value: string | null
  code: string
}

/** The order. Throws `invalid_request` unless it has an attribute just where it is by one. */
export function requireGoodOrder(order: ProductOrder | null | undefined): ProductOrder {
  const { field, attribute } = order ?? byCode
  const at = 'orderBy.attribute'
  const badName = attribute == null ? 'it is nothing' : nameFault(attribute)
  if (field !== 'attribute' && attribute == null) return order ?? byCode
  if (field === 'attribute' && !badName) return order ?? byCode
  const details =
    field === 'attribute'
      ? `${at} must name the attribute to order by: ${badName}`
      : `${at} must be left out unless field is ATTRIBUTE; got ${shown(attribute)}`
  throw invalidRequest([{ field: at, details }])
}

/** How the products `p` of a store are ordered, and how their places are written. */
export function sortOf(order: ProductOrder, types: AttributeTypes) {
  const name = order.attribute ?? ''
  const key = keyOf(order.field, name, types)
  const isDescending = order.direction === 'desc'
  return {
    /** The value that orders the products, as text that a cursor can hold. */
    text: textOf(order.field, key),
    /** The rows in the order of the page: from its end if it is read backwards. */
    by: ({ backwards }: KeysetPage) => {
      const direction = isDescending === backwards ? sql`asc` : sql`desc`
      const nulls = backwards ? sql`nulls first` : sql`nulls last`
      return key ? sql`${key} ${direction} ${nulls}, p.product_code ${direction}` : sql`p.product_code ${direction}`
    },
    /** The condition of what comes after, or before, a cursor's key; `orAt`: or just there. */
    beyond: (text: string, side: 'after' | 'before', orAt = false): RawBuilder<boolean> => {
      const { value, code } = positionOf(order, text)
      const [above, below] = orAt ? [sql`>=`, sql`<=`] : [sql`>`, sql`<`]
      const operator = (side === 'after') === isDescending ? below : above
      const byCode = sql<boolean>`p.product_code ${operator} ${code}`
      if (!key) return byCode
      if (value === null) {
        const same = sql<boolean>`(${key} is null and ${byCode})`
        return side === 'after' ? same : sql<boolean>`(${key} is not null or ${same})`
      }
      const within = sql<boolean>`(${key}, p.product_code) ${operator} (${typed(order, value, types)}, ${code})`
      return side === 'after' && order.field === 'attribute' ? sql<boolean>`(${within} or ${key} is null)` : within
    },
  }
}

function keyOf(field: ProductOrder['field'], name: string, types: AttributeTypes): RawBuilder<unknown> | undefined {
  switch (field) {
    case 'code':
      return undefined
    case 'createdAt':
      return sql`p.created_at`
    case 'updatedAt':
      return sql`p.updated_at`
    case 'status':
      return sql`p.status collate "C"`
    case 'attribute': {
      const value = orderedValue(name, types)
      return types.get(name) === 'number' ? value : sql`left(${value}, ${orderedCharacters})`
    }
    default:
      return field satisfies never
  }
}

function textOf(field: ProductOrder['field'], key: RawBuilder<unknown> | undefined): RawBuilder<string | null> {
  if (!key) return sql`null`
  const isTime = field === 'createdAt' || field === 'updatedAt'
  return isTime ? sql`to_char(${key} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : sql`${key}::text`
}

function typed({ field, attribute }: ProductOrder, value: string, types: AttributeTypes): RawBuilder<unknown> {
  if (field === 'createdAt' || field === 'updatedAt') return sql`${value}::timestamptz`
  if (field !== 'attribute' || types.get(attribute ?? '') !== 'number') return sql`${value}::text`
  if (boundFault('number', value)) throw badCursor()
  return sql`${value}::text::numeric`
}

/** The key of a product's cursor: the code alone where that orders the products. */
export function cursorKey(order: ProductOrder, value: string | null, code: string): string {
  return order.field === 'code' ? code : JSON.stringify([tagOf(order), value, code])
}

/** Whether a text is a key of the order's cursors. */
export function isCursorKey(order: ProductOrder, text: string): boolean {
  if (order.field === 'code') return isStorable(text)
  const parsed = parsedJson(text)
  if (!Array.isArray(parsed) || parsed.length !== 3) return false
  const [tag, value, code] = parsed as unknown[]
  return tag === tagOf(order) && isText(code) && (value === null ? order.field === 'attribute' : isValue(order, value))
}

function isValue({ field }: ProductOrder, value: unknown): boolean {
  if (!isText(value)) return false
  if (field === 'status') return isProductStatus(value)
  return field === 'attribute' || timeOf(value) !== undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && isStorable(value)
}

function tagOf({ field, attribute }: ProductOrder): string {
  return `${field} ${attribute ?? ''}`
}

function positionOf(order: ProductOrder, text: string): Position {
  if (order.field === 'code') return { value: null, code: text }
  const [, value, code] = parsedJson(text) as [string, string | null, string]
  return { value, code }
}

function badCursor() {
  return invalidRequest([
    {
      field: 'after',
      details: 'after and before must be cursors from this connection; the type of the attribute has changed',
    },
  ])
}
