import { sql } from 'kysely'
import { invalidRequest } from '../../../errors.ts'
import type { Condition, KeysetPage, Sql } from '../../conditions.ts'
import { type OrderValue, type ProductOrder, partsOfKey } from './product-order.ts'
import type { Source } from './source.ts'
import { valuesOf } from './values.ts'

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
export function planPage(source: Source, order: ProductOrder, page: ProductPage): PageSegment[] {
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

function segmentsOf(source: Source, { field, attribute, direction }: ProductOrder): Segment[] {
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
function attributeSegments(source: Source, name: string, isDescending: boolean): Segment[] {
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
