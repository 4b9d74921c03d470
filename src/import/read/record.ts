/** A record of a CSV file: its cells, its beginning after a mark, its end, and the beginning of the next one. */
export interface ParsedRecord {
  cells: string[]
  begin: number
  /** The first cell with blanks before a quote, or text after a closing one, by its index. */
  misquoted: { at: number; reason: string } | undefined
  end: number
  next: number
}

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d
/** The mark of UTF-8, with which a file begins that was joined to another. */
const mark = '\u00ef\u00bb\u00bf'

/**
 * A reader of the record at an index of a text, or of its first cells. It returns undefined if the end of the record is
 * not known yet.
 */
export function recordReader(delimiter: string) {
  const separator = delimiter.charCodeAt(0)
  return (
    text: string,
    start: number,
    isLast: boolean,
    maxCells = Number.POSITIVE_INFINITY,
  ): ParsedRecord | undefined => {
    if (start >= text.length) return undefined
    const cells: string[] = []
    let misquoted: ParsedRecord['misquoted']
    const begin = text.startsWith(mark, start) ? start + mark.length : start
    for (let at = begin; ; at++) {
      const first = at
      // A doubled quote ends one quoted part of the cell and begins the next.
      while (text.charCodeAt(at) === quote) {
        at = text.indexOf('"', at + 1) + 1
        if (at === 0) return undefined
      }
      const quoted = at === first ? '' : text.slice(first + 1, at - 1).replaceAll('""', '"')
      let end = at
      let code = text.charCodeAt(end)
      // A loop takes half the time of an expression.
      while (code !== separator && code !== lineFeed && code !== carriageReturn && end < text.length)
        code = text.charCodeAt(++end)
      const rest = text.slice(at, end)
      if (at > first ? rest !== '' : isBlank(rest.charCodeAt(0)) && /^[ \t]+"/.test(rest))
        misquoted ??= { at: cells.length, reason: at > first ? afterQuote(rest) : beforeQuote }
      cells.push(quoted + rest)
      at = end
      if (code === separator && cells.length < maxCells) continue
      const next = at + (code === carriageReturn && text.charCodeAt(at + 1) === lineFeed ? 2 : 1)
      // The end of the text may cut a line, a quoted cell at a doubled quote, or CRLF.
      if (!isLast && (at >= text.length || (next === text.length && code === carriageReturn))) return undefined
      return { cells, misquoted, begin, end, next }
    }
  }
}

const isBlank = (code: number) => code === 0x20 || code === 0x09

const beforeQuote = 'must begin with its quote; got blanks before it'

function afterQuote(text: string): string {
  const got = text.trim() === '' ? 'blanks' : 'text'
  return `must double a quote within a quoted cell; got ${got} after the closing quote`
}

/** Whether a cell is quoted in the text of its record. */
export function isQuoted(source: unknown, at: number, delimiter: string): boolean {
  if (typeof source !== 'string') return false
  const start = at === 0 ? 0 : recordReader(delimiter)(source, 0, true, at)?.next
  return source[start ?? 0] === '"'
}
