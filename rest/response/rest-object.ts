import { isObject } from '../../src/text.ts'

/** A value of an enumeration as in REST: `under review` for `UNDER_REVIEW`. */
export function restNameOf(enumName: string): string {
  return enumName.replaceAll('_', ' ').toLowerCase()
}

/** The fields that have values of enumerations. codegen.ts checks them. */
export const renamedFields: ReadonlySet<string> = new Set(['status', 'via', 'kind', 'action', 'state', 'format'])

/** A result of GraphQL as in REST: values of enumerations have other names. Nulls at any depth are absent, or kept. */
export function restObject(object: object, nulls: 'keep' | 'omit' = 'omit'): Record<string, unknown> {
  const entries = Object.entries(object).filter(([, value]) => nulls === 'keep' || value !== null)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      renamedFields.has(name) && typeof value === 'string' ? restNameOf(value) : restValue(value, nulls),
    ]),
  )
}

function restValue(value: unknown, nulls: 'keep' | 'omit'): unknown {
  if (Array.isArray(value)) return value.map((item) => restValue(item, nulls))
  return isObject(value) ? restObject(value, nulls) : value
}
