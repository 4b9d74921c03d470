import { isExactNumber } from './exact-json.ts'
import type { Cell, Fault } from './row.ts'

export interface FlatObject {
  /** What stands in each column, by the column's name. */
  cells: Map<string, Cell>
  fault: Fault | undefined
}

/** Names of attributes have at most 255 characters, so that nothing deeper could ever be stored. */
const deepest = 255

/**
 * The columns of a JSON object. Those of an object within it are named `outer.inner`; a list stays a list; numbers and booleans are their
 * JSON text; null is an empty cell. Two paths that give the same column name are a fault.
 */
export function flatten(object: object): FlatObject {
  const flat: FlatObject = { cells: new Map(), fault: undefined }
  visit(object, '', 1, flat)
  return flat
}

function visit(object: object, prefix: string, depth: number, flat: FlatObject): void {
  for (const [key, value] of Object.entries(object)) {
    const column = prefix + key
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value)) {
      if (flat.cells.has(column)) flat.fault = { field: column, reason: 'comes twice in the row' }
      flat.cells.set(column, cellOf(value))
    } else if (depth === deepest) {
      flat.fault = { field: undefined, reason: `is nested more than ${deepest} objects deep` }
    } else {
      visit(value, `${column}.`, depth + 1, flat)
    }
  }
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string' || Array.isArray(value)) return value
  return value === null ? '' : JSON.stringify(value)
}
