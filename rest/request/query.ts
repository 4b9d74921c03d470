import type { Fault } from '../../src/errors.ts'
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
