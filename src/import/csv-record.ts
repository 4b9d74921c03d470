/** A record of a CSV text. */
export interface CsvRecord {
  cells: string[]
  /** Where it begins and ends in the text, and where the next one begins. */
  start: number
  end: number
  next: number
  /** The place of the first quoted cell that has text behind its closing quote, if one has. */
  torn: number | undefined
  /** How many line ends its cells have in them. */
  lineBreaks: number
}

/** The text ends within the record: more of it is needed, or, at the end of a file, a quote is missing. */
export type Cut = 'cut'

interface Cursor {
  at: number
  /** Whether a quoted cell up to here had text behind its closing quote. */
  isTorn: boolean
}

/**
 * Finds the records of a text one after another (RFC 4180). Lines end in LF, CRLF or CR. A quote within an unquoted cell stands for itself; text behind
 * a closing quote belongs to the cell up to the next comma or line end, so that the fault stays within its record. `isLast` says that the text is the end
 * of its file.
 */
export class CsvText {
  readonly text: string
  readonly isLast: boolean
  // The next of each from the place that was last looked at: most records are then found by one search.
  private lineFeed = -1
  private carriageReturn = -1
  private quote = -1

  constructor(text: string, isLast: boolean) {
    this.text = text
    this.isLast = isLast
  }

  /** The record that begins at `start`, undefined where the text ends before one begins. */
  recordAt(start: number): CsvRecord | Cut | undefined {
    if (start >= this.text.length) return undefined
    const end = this.lineEnd(start)
    if (this.quote < start) this.quote = this.find('"', start)
    if (this.quote > end) {
      if (this.isOpen(end)) return 'cut'
      const cells = this.text.slice(start, end).split(',')
      return { cells, start, end, next: this.behindLineEnd(end), torn: undefined, lineBreaks: 0 }
    }
    return this.quotedRecord(start)
  }

  private quotedRecord(start: number): CsvRecord | Cut {
    const cells: string[] = []
    const firstLineEnd = this.lineEnd(start)
    const cursor: Cursor = { at: start, isTorn: false }
    let torn: number | undefined
    for (;;) {
      const cell = this.text[cursor.at] === '"' ? this.quotedCell(cursor) : this.bareCell(cursor)
      if (cell === undefined) return 'cut'
      if (cursor.isTorn) torn ??= cells.length
      cells.push(cell)
      if (this.text[cursor.at] !== ',') break
      cursor.at++
    }
    const { at: end } = cursor
    if (this.isOpen(end)) return 'cut'
    const lineBreaks = firstLineEnd < end ? lineBreaksOf(this.text.slice(start, end)) : 0
    return { cells, start, end, next: this.behindLineEnd(end), torn, lineBreaks }
  }

  private bareCell(cursor: Cursor): string {
    const from = cursor.at
    const comma = this.text.indexOf(',', from)
    const end = this.lineEnd(from)
    cursor.at = comma < 0 || comma > end ? end : comma
    return this.text.slice(from, cursor.at)
  }

  private quotedCell(cursor: Cursor): string | undefined {
    const from = cursor.at + 1
    let close = this.text.indexOf('"', from)
    let isDoubled = false
    while (close >= 0 && this.text[close + 1] === '"') {
      isDoubled = true
      close = this.text.indexOf('"', close + 2)
    }
    if (close < 0 || this.isOpen(close + 1)) return undefined
    const inner = this.text.slice(from, close)
    const cell = isDoubled ? inner.replaceAll('""', '"') : inner
    cursor.at = close + 1
    const behind = this.text[cursor.at]
    if (behind === undefined || behind === ',' || behind === '\n' || behind === '\r') return cell
    cursor.isTorn = true
    return cell + this.bareCell(cursor)
  }

  /** Whether what follows this place is needed to know what stands here: another quote, or the LF of a CRLF. */
  private isOpen(at: number): boolean {
    return !this.isLast && (at >= this.text.length || (this.text[at] === '\r' && at + 1 === this.text.length))
  }

  private lineEnd(from: number): number {
    if (this.lineFeed < from) this.lineFeed = this.find('\n', from)
    if (this.carriageReturn < from) this.carriageReturn = this.find('\r', from)
    return Math.min(this.lineFeed, this.carriageReturn, this.text.length)
  }

  private behindLineEnd(end: number): number {
    return this.text[end] === '\r' && this.text[end + 1] === '\n' ? end + 2 : end + 1
  }

  private find(character: string, from: number): number {
    const found = this.text.indexOf(character, from)
    return found < 0 ? Number.POSITIVE_INFINITY : found
  }
}

function lineBreaksOf(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0
}
