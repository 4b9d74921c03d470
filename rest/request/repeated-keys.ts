import { type JsonShape, shapeOfJson } from '../../src/request/json-shape.ts'

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
