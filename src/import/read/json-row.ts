import { shown } from '../../text.ts'
import { type Cell, type Entry, mostColumns, type Place, type Source } from './row.ts'

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

/** Methods of ES2026's JSON that the compiler's library does not have yet. */
const exactJson = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}

/**
 * Parses a JSON text. Numbers keep the digits that they were written with, as `exactNumber` has them: 1.10 and
 * 12345678901234567890 are attribute values like any other. Throws as `JSON.parse` does, and a RangeError when it is nested too deeply.
 */
export function parseExactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exactNumber(source) : value,
  )
}

/** A number that `JSON.stringify` writes with the digits of the text. */
export function exactNumber(text: string): unknown {
  return exactJson.rawJSON(text)
}

export function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !exactJson.isRawJSON(value)
}

/**
 * The row of a JSON object. The columns of an object within it are named `outer.inner`; a list stays a list; numbers and booleans are their
 * JSON text; null is an empty cell. Another value is no row.
 */
export function jsonRow(value: unknown, { number, line }: Place, size: number, source: Source): Entry {
  const unreadable = (reason: string, field?: string) => ({ number, line, field, reason, ends: false, source })
  if (!isJsonObject(value)) {
    return unreadable(`must be an object; got ${exactJson.isRawJSON(value) ? JSON.stringify(value) : shown(value)}`)
  }
  const flat: FlatObject = { cells: new Map(), fault: undefined }
  flatten(value, '', 1, flat)
  const { cells, fault } = flat
  if (fault) return unreadable(fault.reason, fault.field)
  return { number, line, columns: [...cells.keys()], cells: [...cells.values()], size, source }
}

interface FlatObject {
  cells: Map<string, Cell>
  fault: { field?: string; reason: string } | undefined
}

/** Names of attributes have at most 255 characters: nothing deeper could be stored. */
const deepest = 255

function flatten(object: object, prefix: string, depth: number, flat: FlatObject): void {
  for (const [key, value] of Object.entries(object)) {
    const column = prefix + key
    if (flat.cells.size === mostColumns) {
      flat.fault = { reason: `must have at most ${mostColumns} columns` }
      return
    }
    if (!isJsonObject(value)) {
      if (flat.cells.has(column)) flat.fault = { field: column, reason: 'comes twice in the row' }
      flat.cells.set(column, cellOf(value))
    } else if (depth === deepest) {
      flat.fault = { reason: `is nested more than ${deepest} objects deep` }
    } else {
      flatten(value, `${column}.`, depth + 1, flat)
    }
  }
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string' || Array.isArray(value)) return value
  return value === null ? '' : JSON.stringify(value)
}
