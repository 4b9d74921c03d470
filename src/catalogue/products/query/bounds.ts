import { type Fault, invalidRequest } from '../../../errors.ts'
import { shown } from '../../../text.ts'
import { type AttributeDefinition, valueRule } from '../../attributes/attribute-rules.ts'
import { isNumber, maxDigits } from '../../product-index/slots.ts'
import type { NamedAttribute } from './product-filter.ts'

type Type = AttributeDefinition['type'] | undefined

const ranges = ['gt', 'gte', 'lt', 'lte'] as const

/** Throws `invalid_request` for bounds that the declared type does not have, or that nothing is between. */
export function requireBounds(attributes: readonly NamedAttribute[], typeOf: (name: string) => Type): void {
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

/** Throws `invalid_request` for an attribute whose declared type has no order. */
export function requireOrdered(attribute: string | null | undefined, typeOf: (name: string) => Type): void {
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
