import { sql } from 'kysely'
import { type Fault, invalidRequest } from '../../../errors.ts'
import { shown } from '../../../text.ts'
import { type AttributeDefinition, valueRule } from '../../attributes/attribute-rules.ts'
import { type Catalogue, visibleStore } from '../../catalogue.ts'
import { type KnownAttribute, mostDigits } from '../../values/value-columns.ts'
import type { NamedAttribute } from './product-filter.ts'

/** Attributes by name; those that are not declared are left out. */
export type AttributeTypes = ReadonlyMap<string, KnownAttribute>

/** Up to so many products of a store may be read for the values of an attribute that is not indexed. */
export const mostRead = 50_000

/** What is declared. Throws `invalid_request` where the store is too large to read values that are not indexed. */
export async function findTypes(
  catalogue: Catalogue,
  storeUuid: string,
  names: readonly { name: string; field: string }[],
): Promise<AttributeTypes> {
  if (names.length === 0) return new Map()
  const uuid = visibleStore(catalogue, storeUuid)
  const all = new Set(names.map(({ name }) => name))
  const { rows } = await sql<{ types: Record<string, KnownAttribute>; isLarge: boolean }>`
    with known as materialized (
      select name, type, case when is_indexed then slot end as slot, is_counted from attribute_definition
      where store_uuid = ${uuid} and name = any(${[...all]}::text[])
    )
    select (select coalesce(jsonb_object_agg(name, json_build_object('type', type, 'slot', slot, 'isCounted', is_counted)), '{}') from known) as types,
      (select count(slot) from known) < ${all.size}::integer
        and exists (select from product where store_uuid = ${uuid} offset ${mostRead}) as "isLarge"`.execute(
    catalogue.db,
  )
  const [{ types, isLarge } = { types: {}, isLarge: false }] = rows
  const known = new Map(Object.entries(types))
  const unindexed = isLarge ? names.filter(({ name }) => known.get(name)?.slot == null) : []
  if (unindexed.length === 0) return known
  throw invalidRequest(
    unindexed.map(({ name, field }) => ({
      field,
      details: `${field} must be an attribute that is declared filterable and indexed, in a store of more than ${mostRead} products; got ${shown(name)}: declare it by defineAttributes, and wait for the job that indexes it`,
    })),
  )
}

const ranges = ['gt', 'gte', 'lt', 'lte'] as const

/** Throws `invalid_request` for bounds that the declared type does not have, or that nothing is between. */
export function requireBounds(attributes: readonly NamedAttribute[], types: AttributeTypes): void {
  const faults = attributes.flatMap(({ filter, field: within }): Omit<Fault, 'reason'>[] => {
    const field = `filter${within}`
    const { type } = types.get(filter.name) ?? { type: 'text' }
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
export function requireOrdered(attribute: string | null | undefined, types: AttributeTypes): void {
  if (attribute == null || types.get(attribute)?.type !== 'boolean') return
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
  const rule = valueRule({ name: '', type, allowedValues: null, maxLength: mostDigits, pattern: null })
  const fault = rule(bound)
  return fault && `${fault}; the attribute is declared ${type.toUpperCase()}`
}

function isAbove(type: AttributeDefinition['type'], lower: string, upper: string): boolean {
  if (type === 'number') return Number(lower) > Number(upper)
  return Buffer.compare(Buffer.from(lower), Buffer.from(upper)) > 0
}
