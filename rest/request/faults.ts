import type { z } from 'zod'
import type { ErrorInfo } from '../response/envelope.ts'

/**
 * The faults of a value as entries of `error_info`: the field, what was expected and what came. A fault within an item
 * of a list has the item's `index`; `whole` names the value itself.
 */
export function faultsOf(error: z.ZodError, value: unknown, whole: string): ErrorInfo[] {
  return error.issues.map(({ path, message }) => {
    const got = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value)
    const [first, ...rest] = path
    const at = typeof first === 'number' ? { index: first } : {}
    const field = (typeof first === 'number' ? rest : path).reduce<string>(append, '')
    const name = [typeof first === 'number' ? `item ${first}` : '', field].filter(Boolean).join(': ') || whole
    const details = got === undefined ? `${name} is required` : `${name} ${message}; got ${shown(got)}`
    return { reason: 'invalid_request', details, ...(field && { field }), ...at }
  })
}

function append(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? String(key) : `${path}.${String(key)}`
}

/** A value as a message shows it: short texts and scalars themselves, the rest by its kind. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value !== 'string') return String(value)
  return value.length <= 100 ? JSON.stringify(value) : `a text of ${[...value].length} characters`
}
