import { type RawBuilder, sql } from 'kysely'
import { invalidRequest } from '../../../errors.ts'
import { isStorable, parsedJson, shown, timeOf } from '../../../text.ts'
import { nameFault } from '../../attributes/attribute-rules.ts'
import type { KeysetPage, Split } from '../../conditions.ts'
import { isProductStatus } from '../../enumerations.ts'
import { type AttributeIndex, keyCharacters, keyOf } from '../../values/value-keys.ts'
import { type AttributeIndexes, boundFault } from './indexes/attribute-indexes.ts'
import { orderedValue, storedValue } from './matching-products.ts'
import { type ProductFilter, partsOf } from './product-filter.ts'

/** By a field, then by the code; products without a value come last. */
export interface ProductOrder {
  field: 'code' | 'createdAt' | 'updatedAt' | 'status' | 'attribute'
  attribute?: string | null | undefined
  direction?: 'asc' | 'desc' | null | undefined
}

export const byCode: ProductOrder = { field: 'code' }

/** A place between products: null for those without a value. */
export interface Position {
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

/** A page between cursors of an order. `orAt`: a product just at the place of a cursor is on the page, too. */
export type ProductPage = KeysetPage & { orAt?: { after: boolean; before: boolean } }

/** Some of the products of a page, in sequence: their condition, their order, and its value as text for cursors. */
export interface PagePart {
  where: readonly (RawBuilder<boolean> | false)[]
  by: RawBuilder<unknown>
  text: RawBuilder<string | null>
  /** Whether these are the products without the attribute that orders the others. */
  isWithoutValue: boolean
}

/**
 * A page of the products `p` of a store in an order. `hasKeys`: those with a value have the key of the attribute,
 * `p.key`.
 */
export function planPage(order: ProductOrder, page: ProductPage, indexes: AttributeIndexes, hasKeys: boolean) {
  const index = indexes.get(order.attribute ?? '')
  const [value, valueText] = columnsOf(order, index)
  const key = hasKeys ? sql`p.key` : value
  const isDescending = order.direction === 'desc'
  const direction = isDescending === page.backwards ? sql`asc` : sql`desc`
  const byCode = sql`p.product_code ${direction}`
  /** The condition of what comes after, or before, a cursor. */
  const beyond = (side: 'after' | 'before', hasValue: boolean): RawBuilder<boolean> | false => {
    const cursor = page[side]
    if (cursor === undefined) return false
    const { value, code } = positionOf(order, cursor)
    const [above, below] = page.orAt?.[side] ? [sql`>=`, sql`<=`] : [sql`>`, sql`<`]
    const operator = (side === 'after') === isDescending ? below : above
    if (!key || (value === null && !hasValue)) return sql<boolean>`p.product_code ${operator} ${code}`
    // Products without a value come after all others.
    if (value === null || !hasValue) return (side === 'after') === hasValue && sql<boolean>`false`
    return sql<boolean>`(${key}, p.product_code) ${operator} (${typed(order, value, index, hasKeys)}, ${code})`
  }
  const between = (hasValue: boolean) => [beyond('after', hasValue), beyond('before', hasValue)]
  const begin = page.backwards ? page.before : page.after
  return {
    /** Whether the page has products in the order of their last change, and which ones come first. */
    byChange:
      order.field === 'updatedAt' && (isDescending === page.backwards ? ('oldest first' as const) : 'newest first'),
    /** Where the page begins; undefined: it is the first one. */
    begin: begin === undefined ? undefined : positionOf(order, begin),
    /** The parts of the page: two by an attribute, which some may not have, and if the order is split in two. */
    partsOf: (split: Split | undefined): PagePart[] => {
      const valued: PagePart = {
        where: between(true),
        by: key ? sql`${key} ${direction}, ${byCode}` : byCode,
        text: hasKeys && order.field !== 'createdAt' && index?.type !== 'number' ? sql`p.key` : valueText,
        isWithoutValue: false,
      }
      if (split) return split.map((part) => ({ ...valued, where: [part, ...valued.where] }))
      if (!key || order.field !== 'attribute') return [valued]
      const parts = [
        { ...valued, where: [sql<boolean>`${key} is not null`, ...valued.where] },
        {
          where: [sql<boolean>`${value} is null`, ...between(false)],
          by: byCode,
          text: sql<null>`null::text`,
          isWithoutValue: true,
        },
      ]
      return page.backwards ? parts.reverse() : parts
    },
  }
}

/** The condition of the index product_by_creation. */
export const isIndexed = sql<boolean>`p.created_at > '-infinity'`

/** What orders, null for the code alone, and its text. */
function columnsOf(
  { field, attribute }: ProductOrder,
  index: AttributeIndex | undefined,
): [key: RawBuilder<unknown> | undefined, text: RawBuilder<string | null>] {
  switch (field) {
    case 'code':
      return [undefined, sql`null`]
    case 'createdAt':
    case 'updatedAt': {
      const time = field === 'createdAt' ? sql`p.created_at` : sql`p.updated_at`
      return [time, sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`]
    }
    case 'status':
      return [sql`p.status collate "C"`, sql`p.status`]
    case 'attribute': {
      const ordered = orderedValue(storedValue(attribute ?? ''), index)
      const key = index?.type === 'number' ? ordered : sql`left(${ordered}, ${keyCharacters}::integer)`
      return [key, sql`${key}::text`]
    }
    default:
      return field satisfies never
  }
}

function typed(
  { field }: ProductOrder,
  value: string,
  index: AttributeIndex | undefined,
  hasKeys: boolean,
): RawBuilder<unknown> {
  if (field === 'createdAt' || field === 'updatedAt') return sql`${value}::timestamptz`
  if (field !== 'attribute' || index?.type !== 'number') return sql`${value}::text`
  if (boundFault('number', value)) throw badCursor()
  return hasKeys ? keyOf(index, value) : sql`${value}::text::numeric`
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

/** Whether a filter or an order is by what `product_value` does not have. */
export function needsProduct(filter: ProductFilter, { field }: ProductOrder): boolean {
  const isOfProduct = ({ createdAt, updatedAt }: ProductFilter) => createdAt ?? updatedAt
  return field === 'createdAt' || field === 'updatedAt' || partsOf(filter).some((part) => isOfProduct(part.filter))
}
