import { CatalogueError, invalidRequest } from '../errors.ts'
import { type JsonShape, shapeOfJson } from './json-shape.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of JSON text in UTF-8, with or without a byte-order mark, or the fault of another text. Throws
 * `payload_too_large` before one with too many members is parsed.
 */
export function parseJson(name: string, bytes: Uint8Array): { value?: unknown; fault?: string; shape: JsonShape } {
  const shape = shapeOfJson(bytes)
  if (shape.excess) throw new CatalogueError('payload_too_large', `${name} ${shape.excess}`)
  if (bytes.length === 0) return { fault: `${name} is required`, shape }
  try {
    return { value: JSON.parse(utf8.decode(bytes)), shape }
  } catch (error) {
    const [where = ''] = (error instanceof Error && / at position \d+/.exec(error.message)) || []
    return { fault: `${name} must be JSON in UTF-8; it cannot be read${where}`, shape }
  }
}

/** The value of JSON text. Throws `invalid_request` for another text. */
export function jsonOf(name: string, bytes: Uint8Array): unknown {
  const { value, fault } = parseJson(name, bytes)
  if (fault !== undefined) throw invalidRequest(fault)
  return value
}
