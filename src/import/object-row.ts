import { shown } from '../catalog/text.ts'
import { isExactNumber } from './exact-json.ts'
import { flatten } from './flatten.ts'
import type { Row, UnreadableRow } from './row.ts'

/** The row that a JSON value stands for: an object is one, anything else is not. */
export function objectRow(value: unknown, number: number, line: number | undefined, size: number): Row | UnreadableRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value)) {
    const got = isExactNumber(value) ? JSON.stringify(value) : shown(value)
    return { number, line, field: undefined, reason: `must be an object; got ${got}`, ends: false }
  }
  const { cells, fault } = flatten(value)
  return fault ? { number, line, ...fault, ends: false } : { number, line, cells, size }
}
