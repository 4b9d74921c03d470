type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

/** What ES2026's JSON has and the compiler's library does not know yet. */
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

/** A number as it is written, which `JSON.stringify` writes again in the same digits. */
export function exactNumber(text: string): unknown {
  return exactJson.rawJSON(text)
}

export function isExactNumber(value: unknown): boolean {
  return exactJson.isRawJSON(value)
}
