import { maxRowLength } from '../limits.ts'

/** Characters that are themselves in a text of XML. A parser refuses `]]>`, and characters that XML does not have. */
export const plainCharacters = String.raw`[\t\n -%'-;=?-\ufffd]*`
/** The element of a text in a sheet. */
export const plainText = `<t(?: xml:space="preserve")?>(${plainCharacters})</t>`

/** What may have text that looks like an element. */
const special = /<!|<\?(?!xml\s)/
const blank = /^[ \t\r\n]*$/

/**
 * A reader of XML that hands each element of a name to `read` while the rest goes, in order, to the parser, which is
 * many times slower. `read` returns where the element ends, or undefined for one that needs the parser, too.
 */
export function skimmer(name: string, read: (text: string, begin: number) => number | undefined) {
  let rest = ''
  let waiting = 0
  let isOff = false
  /** Whether no more than blanks followed the last element that was read: the parser would keep them all. */
  let isAfter = false
  return (text: string, parse: (text: string) => void): void => {
    rest += text
    // A long element is not searched again for each small part of it that comes in.
    const isEnd = text === ''
    if (!isEnd && rest.length < 2 * waiting) return
    // A tag that is not whole waits for the next part.
    const lastTag = rest.lastIndexOf('<')
    let end = isEnd || rest.lastIndexOf('>') >= lastTag ? rest.length : lastTag
    isOff ||= rest.length > maxRowLength || special.test(rest.slice(0, end))
    if (isOff) end = rest.length
    let at = 0
    const parseTo = (to: number) => {
      const part = rest.slice(at, to)
      isAfter &&= blank.test(part)
      if (part !== '' && !isAfter) parse(part)
      at = Math.max(at, to)
    }
    let close = -1
    let from = isOff ? -1 : rest.indexOf(`<${name}`)
    while (from >= 0) {
      if (close < from) close = rest.indexOf(`</${name}>`, from)
      if (close < 0) {
        if (!isEnd) end = from
        break
      }
      parseTo(from)
      const next = read(rest, from)
      isAfter ||= next !== undefined
      at = next ?? from
      from = rest.indexOf(`<${name}`, next ?? from + 1)
    }
    parseTo(end)
    rest = rest.slice(at)
    waiting = rest.length
  }
}
