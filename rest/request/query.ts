import type { Fault } from '../../src/errors.ts'
import { type JsonShape, shapeOfJson } from '../../src/request/json-shape.ts'
import type { Endpoint } from '../endpoint.ts'

/**
 * The named parameters of a query string; an empty value is absent. Values of `repeatable` ones are joined by commas,
 * those of `lists` are lists; another that is repeated, or one that is not percent-encoded UTF-8, is a fault. `unknown`
 * has the names of others, as they came.
 */
export function parseQuery(
  search: string,
  names: ReadonlySet<string>,
  { repeatable = [], lists = [] }: Pick<Endpoint, 'repeatable' | 'lists'> = {},
): { values: Record<string, string | string[]>; faults: Fault[]; unknown: string[] } {
  const values = new Map<string, string>()
  const listed = new Map<string, string[]>()
  const faults: Fault[] = []
  const fault = (field: string, problem: string) =>
    faults.push({ reason: 'invalid_request', details: `${field} ${problem}`, field })
  const seen = new Set<string>()
  const unknown = new Set<string>()
  for (const pair of search.split('&')) {
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length
    const name = decoded(pair.slice(0, end))
    if (name === undefined || !names.has(name)) {
      if (end > 0) unknown.add(pair.slice(0, end))
      continue
    }
    const isList = lists.includes(name)
    if (seen.has(name) && !isList && !repeatable.includes(name))
      fault(name, 'must be given once; received more than once')
    seen.add(name)
    const value = decoded(pair.slice(end + 1))
    if (value === undefined) fault(name, 'must be percent-encoded UTF-8')
    else if (isList && value !== '') listed.set(name, [...(listed.get(name) ?? []), value])
    else if (value !== '') values.set(name, values.has(name) ? `${values.get(name)},${value}` : value)
  }
  return { values: Object.fromEntries([...values, ...listed]), faults, unknown: [...unknown] }
}

function decoded(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** The first repeated key of each item, by index; by undefined if the body is not a list. */
export function repeatedKeys(bytes: Uint8Array, value: unknown, { keys }: JsonShape): Map<number | undefined, string> {
  const repeated = new Map<number | undefined, string>()
  // A parsed object has each key once: if the value has as many keys as the text, none is repeated.
  if (keysOf(value) === keys) return repeated
  const seen = new Set<string>()
  shapeOfJson(bytes, undefined, ({ start, end, object, item }) => {
    const key: string = JSON.parse(new TextDecoder().decode(bytes.subarray(start, end)))
    const index = Array.isArray(value) ? item : undefined
    if (seen.has(`${object} ${key}`) && !repeated.has(index)) repeated.set(index, key)
    seen.add(`${object} ${key}`)
  })
  return repeated
}

function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + keysOf(item), 0)
  let count = 0
  for (const key in value) count += 1 + keysOf((value as Record<string, unknown>)[key])
  return count
}
