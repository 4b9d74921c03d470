/** More than the lists and objects of any request need: a list has at most 10,000 items. */
const maxMembers = 20_000
/** A value that nests deep is the failure of one attribute; beyond this it would exhaust the stack. */
const maxDepth = 10_000

export const tooComplex = `must have no list or object of more than ${maxMembers} members, and nest at most ${maxDepth} levels deep`

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * Measures JSON text in UTF-8 without parsing it: how many members all lists and objects have at most, and whether one
 * has too many or nests too deep, which makes a small text slow to work on.
 */
export function shapeOfJson(bytes: Uint8Array): { members: number; isTooComplex: boolean } {
  const commas = [0]
  let members = 0
  let depth = 0
  const { length } = bytes
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]
    if (byte === quote) {
      for (i++; i < length && bytes[i] !== quote; i++) if (bytes[i] === backslash) i++
    } else if (byte === comma) {
      members++
      const count = (commas[depth] ?? 0) + 1
      if (count >= maxMembers) return { members, isTooComplex: true }
      commas[depth] = count
    } else if (byte === openBrace || byte === openBracket) {
      members++
      if (depth === maxDepth) return { members, isTooComplex: true }
      commas[++depth] = 0
    } else if ((byte === closeBrace || byte === closeBracket) && depth > 0) depth--
  }
  return { members, isTooComplex: false }
}
