/** A JSON value in which objects are maps: they keep the order of the text, whatever the keys look like. */
export type Ordered = string | number | boolean | null | Ordered[] | Map<string, Ordered>

const token = /\s*("(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+)/gy

/** Parses JSON text. Throws when it is none, and when an object has a key twice. */
export function parseOrdered(text: string): Ordered {
  JSON.parse(text)
  const tokens = Array.from(text.matchAll(token), (match) => match[1] ?? '')
  let at = 0
  const next = () => tokens[at++] ?? ''
  const skipComma = () => {
    if (tokens[at] === ',') at++
  }
  const value = (): Ordered => {
    const first = next()
    if (first === '[') return list()
    if (first === '{') return object()
    return JSON.parse(first)
  }
  const list = (): Ordered[] => {
    const values = []
    for (; tokens[at] !== ']'; skipComma()) values.push(value())
    at++
    return values
  }
  const object = (): Map<string, Ordered> => {
    const entries = new Map<string, Ordered>()
    for (; tokens[at] !== '}'; skipComma()) {
      const key: string = JSON.parse(next())
      if (entries.has(key)) throw new Error(`the key ${JSON.stringify(key)} comes twice`)
      at++
      entries.set(key, value())
    }
    at++
    return entries
  }
  return value()
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
