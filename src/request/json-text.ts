import { CatalogueError, invalidRequest } from '../errors.ts'
import { shown } from '../text.ts'
import { repeatedKeys, shapeOfJson } from './json-shape.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

export interface ParsedJson {
  value?: unknown
  fault?: string
  /** The first key that an object has twice, by the index of the item of the outermost list. */
  repeated: ReadonlyMap<number, string>
}

const none: ParsedJson['repeated'] = new Map()

/**
 * The value of JSON text in UTF-8, with or without a byte-order mark, or the fault of another text. Throws
 * `payload_too_large` before one with too many members is parsed.
 */
export function parseJson(name: string, bytes: Uint8Array): ParsedJson {
  const shape = shapeOfJson(bytes)
  if (shape.excess) throw new CatalogueError('payload_too_large', `${name} ${shape.excess}`)
  if (bytes.length === 0) return { fault: `${name} is required`, repeated: none }
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    // A parsed object has each key once: if the value has as many keys as the text, none is repeated.
    return { value, repeated: keysOf(value) === shape.keys ? none : repeatedKeys(bytes) }
  } catch (error) {
    const [where = ''] = (error instanceof Error && / at position \d+/.exec(error.message)) || []
    return { fault: `${name} must be JSON in UTF-8; it cannot be read${where}`, repeated: none }
  }
}

/** The number of keys in all objects of a value. */
function keysOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + keysOf(item), 0)
  let count = 0
  for (const key in value) count += 1 + keysOf((value as Record<string, unknown>)[key])
  return count
}

export const givenOnce = 'given once; received more than once'

/** The value of JSON text. Throws `invalid_request` for another text, and for an object that has a key twice. */
export function jsonOf(name: string, bytes: Uint8Array): unknown {
  const { value, fault, repeated } = parseJson(name, bytes)
  if (fault !== undefined) throw invalidRequest(fault)
  for (const key of repeated.values()) throw invalidRequest(`${name}: ${shown(key)} must be ${givenOnce}`)
  return value
}
