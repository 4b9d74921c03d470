/** A record of a CSV file: its cells, its end, and the beginning of the next one. */
export interface ParsedRecord {
  cells: string[]
  /** The index of the first quoted cell that has text after its closing quote; -1: none has. */
  textAfterQuote: number
  end: number
  next: number
}

/**
 * A reader of the record at an index of a text, or of its first cells. It returns undefined if the end of the record is
 * not known yet.
 */
export function recordReader(delimiter: string) {
  const upToSeparator = new RegExp(`[^${delimiter.replace(/[\\\]^-]/, '\\$&')}\\r\\n]*`, 'y')
  return (
    text: string,
    start: number,
    isLast: boolean,
    maxCells = Number.POSITIVE_INFINITY,
  ): ParsedRecord | undefined => {
    if (start >= text.length) return undefined
    const cells: string[] = []
    let textAfterQuote = -1
    for (let at = start; ; at++) {
      const begin = at
      // A doubled quote ends one quoted part of the cell and begins the next.
      while (text[at] === '"') {
        at = text.indexOf('"', at + 1) + 1
        if (at === 0) return undefined
      }
      const quoted = at === begin ? '' : text.slice(begin + 1, at - 1).replaceAll('""', '"')
      upToSeparator.lastIndex = at
      upToSeparator.test(text)
      const end = upToSeparator.lastIndex
      if (at > begin && end > at && textAfterQuote < 0) textAfterQuote = cells.length
      cells.push(quoted + text.slice(at, end))
      at = end
      if (text[at] === delimiter && cells.length < maxCells) continue
      const next = at + (text.startsWith('\r\n', at) ? 2 : 1)
      // The end of the text may cut a line, a quoted cell at a doubled quote, or CRLF.
      if (!isLast && (at >= text.length || (next === text.length && text[at] === '\r'))) return undefined
      return { cells, textAfterQuote, end, next }
    }
  }
}
