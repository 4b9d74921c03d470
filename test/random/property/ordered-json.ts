import { parse } from 'yaml'

/** A JSON value in which objects are maps: they keep the order of the text, whatever the keys look like. */
export type Ordered = string | number | boolean | null | Ordered[] | Map<string, Ordered>

/** Parses JSON text, which is YAML as well. Throws when it is none, and when an object has a key twice. */
export function parseOrdered(text: string): Ordered {
  JSON.parse(text)
  return parse(text, { mapAsMap: true })
}

/** The value, which must be of that kind; throws otherwise. */
export function object(value: Ordered | undefined): Map<string, Ordered> {
  if (value instanceof Map) return value
  throw new Error(`expected an object; got ${JSON.stringify(value)}`)
}

export function list(value: Ordered | undefined): Ordered[] {
  if (Array.isArray(value)) return value
  throw new Error(`expected a list; got ${JSON.stringify(value)}`)
}

export function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new Error(`expected a text; got ${JSON.stringify(value)}`)
}
