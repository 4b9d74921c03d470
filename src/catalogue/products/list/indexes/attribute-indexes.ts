import { sql } from 'kysely'
import { type Fault, invalidRequest } from '../../../../errors.ts'
import { shown } from '../../../../text.ts'
import { type AttributeDefinition, valueRule } from '../../../attributes/attribute-rules.ts'
import { type Catalogue, visibleStore } from '../../../catalogue.ts'
import { type AttributeIndex, maxDigits } from '../../../values/value-keys.ts'
import type { NamedAttribute } from '../product-filter.ts'

/** The declared attributes by name. */
export type AttributeIndexes = ReadonlyMap<string, AttributeIndex>

/** In a store with more products, filters may only use indexed attributes. */
export const maxRead = 50_000

/** Looks up attributes. Throws `invalid_request` if one is not indexed and the store is too large to read values. */
export async function findAttributeIndexes(
  catalogue: Catalogue,
  storeUuid: string,
  names: readonly { name: string; field: string }[],
): Promise<AttributeIndexes> {
  if (names.length === 0) return new Map()
  const uuid = visibleStore(catalogue, storeUuid)
  const all = new Set(names.map(({ name }) => name))
  const { rows } = await sql<{ indexes: Record<string, AttributeIndex>; isLarge: boolean }>`
    with known as materialized (
      select name, type, case when is_indexed then slot end as slot, is_counted from attribute_definition
      where store_uuid = ${uuid} and name = any(${[...all]}::text[])
    )
    select (select coalesce(jsonb_object_agg(name, json_build_object('type', type, 'slot', slot, 'isCounted', is_counted)), '{}') from known) as indexes,
      (select count(slot) from known) < ${all.size}::integer
        and exists (select from product where store_uuid = ${uuid} offset ${maxRead}) as "isLarge"`.execute(
    catalogue.db,
  )
  const [{ indexes, isLarge } = { indexes: {}, isLarge: false }] = rows
  const known = new Map(Object.entries(indexes))
  const unindexed = isLarge ? names.filter(({ name }) => known.get(name)?.slot == null) : []
  if (unindexed.length === 0) return known
  throw invalidRequest(
    unindexed.map(({ name, field }) => ({
      field,
      details: `${field} must be an attribute that is declared filterable and indexed, in a store of more than ${maxRead} products; got ${shown(name)}: declare it by defineAttributes, and wait for the job that indexes it`,
    })),
  )
}

/** Whether `product_key` has the statuses of a store's products. */
export async function hasStatusKeys({ db }: Catalogue, uuid: string | null): Promise<boolean> {
  const { rows } = await sql`
    select from attribute_definition where store_uuid = ${uuid} and slot is not null and is_indexed limit 1`.execute(db)
  return rows.length > 0
}

const ranges = ['gt', 'gte', 'lt', 'lte'] as const

/** Throws `invalid_request` for bounds that the declared type does not have, or that nothing is between. */
export function requireBounds(attributes: readonly NamedAttribute[], indexes: AttributeIndexes): void {
  const faults = attributes.flatMap(({ filter, field: within }): Omit<Fault, 'reason'>[] => {
    const field = `filter${within}`
    const { type } = indexes.get(filter.name) ?? { type: 'text' }
    const given = ranges.filter((range) => filter[range] != null)
    const bad = given.flatMap((range) => {
      const bound = filter[range] ?? ''
      const fault = boundFault(type, bound)
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

/** Throws `invalid_request` for an attribute whose declared type has no order. */
export function requireOrdered(attribute: string | null | undefined, indexes: AttributeIndexes): void {
  if (attribute == null || indexes.get(attribute)?.type !== 'boolean') return
  const field = 'orderBy.attribute'
  const details = `${field} must be an attribute with an order; ${shown(attribute)} is declared BOOLEAN, which has none: filter by eq`
  throw invalidRequest([{ field, details }])
}

/** What is wrong with a bound of the values of a type, or undefined. */
export function boundFault(type: AttributeDefinition['type'], bound: string): string | undefined {
  if (type === 'boolean') {
    return `must be left out: the attribute is declared BOOLEAN, which has no order; got ${shown(bound)}: use eq`
  }
  if (type !== 'number' && type !== 'date') return undefined
  const rule = valueRule({ name: '', type, allowedValues: null, maxLength: maxDigits, pattern: null })
  const fault = rule(bound)
  return fault && `${fault}; the attribute is declared ${type.toUpperCase()}`
}

function isAbove(type: AttributeDefinition['type'], lower: string, upper: string): boolean {
  if (type === 'number') return Number(lower) > Number(upper)
  return Buffer.compare(Buffer.from(lower), Buffer.from(upper)) > 0
}
