import { sql } from 'kysely'
import { onlyRow } from '../../../database/only-row.ts'
import { type Fault, invalidRequest } from '../../../errors.ts'
import { shown } from '../../../text.ts'
import { type AttributeDefinition, valueRule } from '../../attributes/attribute-rules.ts'
import type { Catalogue } from '../../catalogue.ts'
import { databaseTime, projectionTime } from '../../projections/as-of.ts'
import { type ProjectionName, projectionNames } from '../../projections/projection.ts'
import { productTotal } from '../find-products.ts'
import type { ProductOrder } from './order.ts'
import { attributesOf, filtersWithin, type NamedAttribute, type ProductFilter } from './product-filter.ts'
import { isNumber, maxDigits, searchableNames } from './values.ts'

/** What decides which table answers a question: the number of products, the time of each projection, the attributes. */
export interface StoreFacts extends Record<ProjectionName, Date> {
  products: number
  now: Date
  version: string | null
  isIndexed: boolean
  searchable: string[]
  /** Whether `product_text` has the values of the searchable attributes of all products, and of how many. */
  hasTexts: boolean
  texts: number
  attributes: Record<
    string,
    {
      type: AttributeDefinition['type']
      isFilterable: boolean
      /** Null unless it has the values of all products. */
      slot: number | null
      built: number | null
    }
  >
}

/** The facts of a store, with the attributes of these names. */
export async function findStoreFacts(
  { db }: Catalogue,
  uuid: string | null,
  names: readonly string[],
): Promise<StoreFacts> {
  const { rows } = await sql<StoreFacts>`
    select ${productTotal(uuid)} as products, ${databaseTime} as now,
      ${sql.join(projectionNames.map((name) => sql`${projectionTime(uuid, name)} as ${sql.id(name)}`))},
      ${textsAreBuilt(uuid)} as "hasTexts", coalesce((select built ${textsOf(uuid)}), 0) as texts,
      ${searchableNames(uuid)} as searchable,
      ${versionOf(uuid)} as version,
      exists (select from product_index_slot where store_uuid = ${uuid} and built_to is null) as "isIndexed",
      (
        select coalesce(jsonb_object_agg(d.name, json_build_object('type', d.type, 'isFilterable', d.filterable,
          'slot', case when s.built_to is null then s.slot end, 'built', s.built)), '{}')
        from attribute_definition d left join product_index_slot s
          on s.store_uuid = ${uuid} and s.name = d.name and s.is_number = (d.type = 'number') and d.filterable
        where d.store_uuid = ${uuid} and d.name = any(${[...names]}::text[])
      ) as attributes`.execute(db)
  return onlyRow(rows)
}

const textsOf = (uuid: string | null) => sql`
        from product_text_state where store_uuid = ${uuid} and names = ${searchableNames(uuid)}`

/** SQL: whether `product_text` has the values of the searchable attributes of all products. */
export const textsAreBuilt = (uuid: string | null) =>
  sql<boolean>`exists (select ${textsOf(uuid)} and built_to is null)`

/** SQL: another text after each change of the rows of a store in `product_index`; null before the first one. */
export const versionOf = (uuid: string | null) => sql<string | null>`(
        select max(version::text) from product_index_slot where store_uuid = ${uuid}
      )`

type Type = AttributeDefinition['type'] | undefined

const ranges = ['gt', 'gte', 'lt', 'lte'] as const

/** In a store with more products only indexed attributes can be used. */
const maxScanned = 50_000

/**
 * Throws `invalid_request` for attributes and searches that a question cannot use: those that a large store has not
 * indexed (`missing`), and bounds and orders that the declared type does not have.
 */
export function requireUsable(
  { filter, order }: { filter: ProductFilter; order?: ProductOrder | undefined },
  missing: readonly { name: string; field: string }[],
  facts: StoreFacts,
  typeOf: (name: string) => Type,
): void {
  requireIndexed(missing, filter, facts)
  requireBounds(attributesOf(filter), typeOf)
  requireOrdered(order?.attribute, typeOf)
}

function requireIndexed(missing: readonly { name: string; field: string }[], filter: ProductFilter, facts: StoreFacts) {
  const { attributes, products, searchable } = facts
  if (products <= maxScanned) return
  const count = (n: number) => n.toLocaleString('en')
  const within = `in a store of more than ${count(maxScanned)} products`
  const progress = (built: number) => `being indexed: ${count(built)} of ${count(products)} products`
  const named = missing.map(({ name, field }) => {
    const { isFilterable, built } = attributes[name] ?? {}
    const isNot = isFilterable ? `is ${progress(built ?? 0)}` : 'is not: declare it by defineAttributes'
    const wanted = `must be an attribute that is declared filterable and indexed, ${within}`
    return { field, details: `${field} ${wanted}; ${shown(name)} ${isNot}` }
  })
  const isIncomplete = searchable.length > 0 && !facts.hasTexts
  const searches = filtersWithin(filter).flatMap(({ filter: { search }, field: at }) => {
    const field = `filter${at}.search`
    const details = `${field} must wait until all searchable attributes are indexed, ${within}; they are ${progress(facts.texts)}`
    return isIncomplete && search != null ? [{ field, details }] : []
  })
  const faults = [...named, ...searches]
  if (faults.length > 0) throw invalidRequest(faults)
}

/** Bounds must be values of the declared type, the lower below the upper one. */
function requireBounds(attributes: readonly NamedAttribute[], typeOf: (name: string) => Type): void {
  const faults = attributes.flatMap(({ filter, field: within }): Omit<Fault, 'reason'>[] => {
    const field = `filter${within}`
    const type = typeOf(filter.name)
    const bad = ranges.flatMap((range) => {
      const fault = filter[range] == null ? undefined : boundFault(type, filter[range])
      return fault ? [{ field: `${field}.${range}`, details: `${field}.${range} ${fault}` }] : []
    })
    if (bad.length > 0) return bad
    const [lower, upper] = [filter.gt ?? filter.gte, filter.lt ?? filter.lte]
    if (lower == null || upper == null || !isAbove(type, lower, upper)) return []
    const details = `${field} must have its lower bound below its upper one; got ${shown(lower)} and ${shown(upper)}`
    return [{ field, details }]
  })
  if (faults.length > 0) throw invalidRequest(faults)
}

function requireOrdered(attribute: string | null | undefined, typeOf: (name: string) => Type): void {
  if (attribute == null || typeOf(attribute) !== 'boolean') return
  const field = 'orderBy.attribute'
  const details = `${field} must be an attribute with an order; ${shown(attribute)} is declared BOOLEAN, which has none: filter by eq`
  throw invalidRequest([{ field, details }])
}

/** What is wrong with a bound of the values of a type, or undefined. */
function boundFault(type: Type, bound: string): string | undefined {
  if (type === 'boolean') {
    return `must be left out: the attribute is declared BOOLEAN, which has no order; got ${shown(bound)}: use eq`
  }
  if (type !== 'number' && type !== 'date') return undefined
  const rule = valueRule({ name: '', type, allowedValues: null, maxLength: maxDigits, pattern: null })
  const fault = rule(bound)
  return fault && `${fault}; the attribute is declared ${type.toUpperCase()}`
}

/** Without a type, a number and another text are compared in two ways: there may be values between any two. */
function isAbove(type: Type, lower: string, upper: string): boolean {
  const numbers = [lower, upper].filter(isNumber).length
  if (type === undefined && numbers === 1) return false
  if (type === 'number' || (type === undefined && numbers === 2)) return Number(lower) > Number(upper)
  return Buffer.compare(Buffer.from(lower), Buffer.from(upper)) > 0
}
