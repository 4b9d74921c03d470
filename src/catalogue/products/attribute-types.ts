import { sql } from 'kysely'
import { type Fault, invalidRequest } from '../../errors.ts'
import { shown } from '../../text.ts'
import { type AttributeDefinition, valueRule } from '../attributes/attribute-rules.ts'
import { type Catalogue, visibleStore } from '../catalogue.ts'
import type { NamedAttribute } from './product-filter.ts'

/** The types of attributes by name; text where it is not declared. */
export type AttributeTypes = ReadonlyMap<string, AttributeDefinition['type']>

/** Up to so many products of a store may be read for the values of an attribute. */
export const mostRead = 50_000

/** The declared types. Throws `invalid_request` where the store is too large to read the values of attributes. */
export async function findTypes(
  catalogue: Catalogue,
  storeUuid: string,
  names: readonly { name: string; field: string }[],
): Promise<AttributeTypes> {
  if (names.length === 0) return new Map()
  const uuid = visibleStore(catalogue, storeUuid)
  const { rows } = await sql<{ types: Record<string, AttributeDefinition['type']>; isLarge: boolean }>`
    select coalesce((
        select jsonb_object_agg(name, type) from attribute_definition
        where store_uuid = ${uuid} and name = any(${names.map(({ name }) => name)}::text[])
      ), '{}') as types, exists (
        select from product where store_uuid = ${uuid} offset ${mostRead}
      ) as "isLarge"`.execute(catalogue.db)
  const [{ types, isLarge } = { types: {}, isLarge: false }] = rows
  if (!isLarge) return new Map(Object.entries(types))
  throw invalidRequest(
    names.map(({ name, field }) => ({
      field,
      details: `${field} must be left out for a store of more than ${mostRead} products; got ${shown(name)}`,
    })),
  )
}

const ranges = ['gt', 'gte', 'lt', 'lte'] as const

/** Throws `invalid_request` for bounds that the declared type does not have, or that nothing is between. */
export function requireBounds(attributes: readonly NamedAttribute[], types: AttributeTypes): void {
  const faults = attributes.flatMap(({ filter, field: within }): Omit<Fault, 'reason'>[] => {
    const field = `filter${within}`
    const type = types.get(filter.name) ?? 'text'
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

/** PostgreSQL's numbers have more; longer texts are not taken for numbers. */
export const mostDigits = 1_000

function isAbove(type: AttributeDefinition['type'], lower: string, upper: string): boolean {
  if (type === 'number') return Number(lower) > Number(upper)
  return Buffer.compare(Buffer.from(lower), Buffer.from(upper)) > 0
}
