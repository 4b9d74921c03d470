import { maxRowLength } from '../row.ts'

/** What may have text that looks like an element. */
const special = /<!|<\?(?!xml )/

/**
 * A reader of XML that hands each element of a name to `read` while the rest goes, in order, to the parser, which is
 * many times slower. `read` returns where the element ends, or undefined for one that needs the parser, too.
 */
export function skimmer(name: string, read: (text: string, begin: number) => number | undefined) {
  let rest = ''
  let waiting = 0
  let isOff = false
  return (text: string, parse: (text: string) => void): void => {
    rest += text
    // A long element is not searched again for each small part of it that comes in.
    const isEnd = text === ''
    if (!isEnd && rest.length < 2 * waiting) return
    isOff ||= rest.length > maxRowLength || special.test(rest)
    // A tag that is not whole waits for the next part.
    const lastTag = rest.lastIndexOf('<')
    let end = isEnd || isOff || rest.lastIndexOf('>') > lastTag ? rest.length : lastTag
    let at = 0
    let from = isOff ? -1 : rest.indexOf(`<${name}`)
    while (from >= 0) {
      if (rest.indexOf(`</${name}>`, from) < 0) {
        if (!isEnd) end = from
        break
      }
      if (from > at) parse(rest.slice(at, from))
      at = from
      const next = read(rest, from)
      at = next ?? from
      from = rest.indexOf(`<${name}`, next ?? from + 1)
    }
    if (end > at) parse(rest.slice(at, end))
    rest = rest.slice(Math.max(at, end))
    waiting = rest.length
  }
}
