/** More than any list or object of a request needs: a list has at most 10,000 items. */
const mostMembers = 20_000
const deepest = 10_000

/** What is wrong with heavy JSON. */
export const heavyJson = 'must have no list or object of more than 20,000 members, and nest at most 10,000 deep'

/**
 * Whether JSON text, in UTF-8, has a list or an object with more than 20,000 members, or nests more than 10,000 deep. Such a text is small
 * but its value is not: an object of 300,000 names keeps the process busy for seconds. Text that is no JSON is for the parser to refuse.
 */
export function isHeavyJson(bytes: Uint8Array): boolean {
  if (bytes.length < deepest || mostMembersOf(bytes) < deepest) return false
  const members = new Int32Array(deepest + 1)
  let depth = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === quote) i = endOfString(bytes, i)
    else if (byte === comma) {
      const count = (members[depth] ?? 0) + 1
      if (count >= mostMembers) return true
      members[depth] = count
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === deepest) return true
      members[++depth] = 0
    } else if ((byte === closeBrace || byte === closeBracket) && depth > 0) depth--
  }
  return false
}

const counted = new WeakMap<Uint8Array, number>()

/**
 * The most members that all lists and objects of JSON text can have together, which is also the most that they can nest: what separates and opens them is counted, once for a body, and as far
 * as 10,000. What stands within texts is counted along.
 */
export function mostMembersOf(bytes: Uint8Array): number {
  const known = counted.get(bytes)
  if (known !== undefined) return known
  let members = 0
  for (let i = 0; i < bytes.length && members < deepest; i++) {
    const byte = bytes[i]
    if (byte === comma || byte === openBrace || byte === openBracket) members++
  }
  counted.set(bytes, members)
  return members
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** The quote that ends the string which begins at `start`; the end of the text if none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let slashes = 0
    while (bytes[end - 1 - slashes] === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return bytes.length
}
