import { repeatedKeys, shapeOfJson } from '../../request/json-shape.ts'
import { isObject, shown } from '../../text.ts'
import { maxColumnLength, maxColumns, maxLevels, maxValues } from './limits.ts'
import type { Cell, Entry, RowFault, RowPosition, Source } from './row.ts'

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown

/** Methods of ES2026's JSON that the compiler's library does not have yet. */
const exactJson = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}

/**
 * Parses a JSON text. Numbers keep the digits that they were written with, as `exactNumber` has them: 1.10 and
 * 12345678901234567890 are attribute values too. Throws as `JSON.parse` does, a RepeatedKey if an object has a key
 * twice, and a RangeError if nested too deeply.
 */
export function parseExactly(text: string): unknown {
  const bytes = Buffer.from(text)
  const shape = shapeOfJson(bytes, { levels: maxLevels })
  if (shape.excess !== undefined) throw new RangeError(tooDeep)
  // The value itself is taken for a member, too.
  let keys = -1
  const value = exactJson.parse(text, function (_key, inner, { source }) {
    if (!Array.isArray(this)) keys++
    return typeof inner === 'number' && source !== undefined ? exactNumber(source) : inner
  })
  if (shape.keys !== keys) throw new RepeatedKey(repeatedKeys(bytes).values().next().value)
  return value
}

export class RepeatedKey extends Error {
  override readonly name = 'RepeatedKey'
  readonly key: string | undefined

  constructor(key: string | undefined) {
    super(comesTwice)
    this.key = key
  }
}

export const comesTwice = 'comes twice in an object'

export const tooDeep = `must have at most ${maxLevels} levels of lists and objects`

export const tooManyValues = `must have at most ${maxValues} values`

/** Whether a JSON text has too many values, those of its lists and objects counted. */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= maxValues) return false
  return shapeOfJson(Buffer.from(text), { allMembers: maxValues }).excess !== undefined
}

/** A number that `JSON.stringify` writes with the digits of the text. */
export function exactNumber(text: string): unknown {
  return exactJson.rawJSON(text)
}

export function isJsonObject(value: unknown): value is object {
  return isObject(value) && !exactJson.isRawJSON(value)
}

/**
 * The row of a JSON object. Columns of an inner object are named `outer.inner`; lists stay lists; numbers and booleans
 * are their JSON text; null is an empty cell. Another value is no row. `size` is about its length in characters.
 */
export function jsonRow(value: unknown, place: RowPosition, source: Source, size: number): Entry {
  if (!isJsonObject(value)) {
    const got = exactJson.isRawJSON(value) ? JSON.stringify(value) : shown(value)
    return { ...place, fault: { expected: 'must be an object', got }, source }
  }
  const cells = new Map<string, Cell>()
  const numbers = new Set<string>()
  const fault = flatten(value, '', cells, numbers)
  if (fault) return { ...place, fault, source }
  return { ...place, columns: [...cells.keys()], cells: [...cells.values()], numbers, size, source }
}

/** Adds the cells of an object, and the columns of numbers; returns the first fault. */
function flatten(object: object, prefix: string, cells: Map<string, Cell>, numbers: Set<string>): RowFault | undefined {
  for (const [key, value] of Object.entries(object)) {
    const column = prefix + key
    if (column.length > maxColumnLength) {
      return {
        expected: `must have columns of at most ${maxColumnLength} characters, those of nested objects included`,
      }
    }
    if (cells.size === maxColumns) return { expected: `must have at most ${maxColumns} columns` }
    if (isJsonObject(value)) {
      const fault = flatten(value, `${column}.`, cells, numbers)
      if (fault) return fault
    } else {
      if (cells.has(column)) return { field: column, expected: 'comes twice in the row' }
      cells.set(column, cellOf(value))
      if (exactJson.isRawJSON(value)) numbers.add(column)
    }
  }
  return undefined
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string' || Array.isArray(value)) return value
  return value === null ? '' : JSON.stringify(value)
}
