/** More than any list or object of a request needs: a list has at most 10,000 items. */
const maxMembers = 20_000
/** All lists and objects together: 10,000 products of fifty attributes each. */
const maxAllMembers = 600_000
/** Much deeper than any body: the values of products are strings. */
const maxDepth = 64

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

export interface JsonShape {
  /** The members of all lists and objects: this many or fewer. */
  members: number
  /** The keys of all objects, if the text is JSON. */
  keys: number
  /** The bound that the text exceeds, which would make it slow to work on. Measuring ends there. */
  excess?: string
}

interface Key {
  /** Where its string begins and ends. */
  start: number
  end: number
  /** The number of its object, and the index of the item of the outermost list that it is in. */
  object: number
  item: number
}

/** Measures JSON text in UTF-8 without parsing it. Goes through it once and keeps nothing but what is open. */
export function shapeOfJson(bytes: Uint8Array, onKey?: (key: Key) => void): JsonShape {
  const commas = [0]
  const numbers = [0]
  let [members, keys, opened, depth, start, end] = [0, 0, 0, 0, 0, 0]
  const excess = (most: number, of: string) => ({
    members,
    keys,
    excess: `must have at most ${most} ${of}; it has more`,
  })
  const { length } = bytes
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]
    if (byte === quote) {
      start = i
      for (i++; i < length && bytes[i] !== quote; i++) if (bytes[i] === backslash) i++
      end = i + 1
    } else if (byte === comma) {
      const count = (commas[depth] ?? 0) + 1
      if (count >= maxMembers) return excess(maxMembers, 'members in a list or object')
      if (++members > maxAllMembers) return excess(maxAllMembers, 'members in all lists and objects')
      commas[depth] = count
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === maxDepth) return excess(maxDepth, 'levels of lists and objects')
      if (++members > maxAllMembers) return excess(maxAllMembers, 'members in all lists and objects')
      commas[++depth] = 0
      numbers[depth] = ++opened
    } else if ((byte === closeBrace || byte === closeBracket) && depth > 0) depth--
    else if (byte === colon) {
      keys++
      onKey?.({ start, end, object: numbers[depth] ?? 0, item: commas[1] ?? 0 })
    }
  }
  return { members, keys }
}

/** By item, the first key that is repeated in one of its objects; by undefined, that of a body that is not a list. */
export function repeatedKeys(bytes: Uint8Array, value: unknown, { keys }: JsonShape): Map<number | undefined, string> {
  const repeated = new Map<number | undefined, string>()
  // A parsed object has each key once: when all together have as many keys as the text, none is repeated.
  if (keysOf(value) === keys) return repeated
  const seen = new Set<string>()
  shapeOfJson(bytes, ({ start, end, object, item }) => {
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
