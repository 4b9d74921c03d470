/** The maximum number of items in a list of a request. */
export const maxItems = 10_000

/** The limits of JSON. */
interface JsonBounds {
  /** The members of one list or object. */
  members?: number
  /** The members of all lists and objects together. */
  allMembers?: number
  levels?: number
}

/** Enough for `maxItems` products of fifty attributes each. */
const requestBounds: JsonBounds = { members: 20_000, allMembers: 600_000, levels: 64 }

export interface JsonShape {
  /** The members of all lists and objects: this many or fewer. */
  members: number
  /** The keys of all objects, if the text is JSON. */
  keys: number
  /** The limit that the text exceeds; then the counts are incomplete. */
  excess?: string
}

interface JsonKey {
  /** Where its string begins and ends. */
  start: number
  end: number
  /** The number of its object, and the index of the item of the outermost list that it is in. */
  object: number
  item: number
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Measures JSON text in UTF-8 in one pass, without parsing it. */
export function shapeOfJson(bytes: Uint8Array, bounds = requestBounds, onKey?: (key: JsonKey) => void): JsonShape {
  const { members: maxMembers = Infinity, allMembers: maxAllMembers = Infinity, levels: maxDepth = Infinity } = bounds
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

/** The first key that an object of a JSON text has already, by the index of the item of the outermost list. */
export function repeatedKeys(bytes: Uint8Array): Map<number, string> {
  const repeated = new Map<number, string>()
  const seen = new Set<string>()
  shapeOfJson(bytes, {}, ({ start, end, object, item }) => {
    const key: string = JSON.parse(new TextDecoder().decode(bytes.subarray(start, end)))
    const known = seen.size
    if (seen.add(`${object} ${key}`).size === known && !repeated.has(item)) repeated.set(item, key)
  })
  return repeated
}
