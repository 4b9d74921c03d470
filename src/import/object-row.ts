import { shown } from '../catalog/text.ts'
import { isExactNumber } from './exact-json.ts'
import { flatten } from './flatten.ts'
import type { Entry, Place, Source } from './row.ts'

/** The row that a JSON value stands for: an object is one, anything else is not. */
export function objectRow(value: unknown, { number, line }: Place, size: number, source: Source): Entry {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value)) {
    const got = isExactNumber(value) ? JSON.stringify(value) : shown(value)
    return { number, line, field: undefined, reason: `must be an object; got ${got}`, ends: false, source }
  }
  const { cells, fault } = flatten(value)
  if (fault) return { number, line, ...fault, ends: false, source }
  return { number, line, columns: [...cells.keys()], cells: [...cells.values()], size, source }
}
