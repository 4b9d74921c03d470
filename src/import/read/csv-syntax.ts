import { peek, withoutStart } from './bytes/bytes.ts'
import { defaultCode } from './columns.ts'
import type { ReadOptions, RowFault } from './row.ts'

type Chunks = AsyncIterable<Buffer>

/** Separators of cells that are recognized, in the order of preference: texts have commas most often. */
export const separators = ['\t', ';', '|', ',']
const maxHeader = 1024 * 1024
/** How many rows decide between separators. */
const maxRows = 20

/**
 * The separator of a CSV file and its content, after Excel's line `sep=;` if there is one: the separator of this line,
 * else one that gives the header the column of the product code. Among several it is that which gives the header the
 * most cells outside quotes, else that which rows have as often as the header; the latter also if no row has the former
 * so, as where names of columns have commas.
 */
export async function findDelimiter(
  file: Chunks,
  { delimiter: given, code }: Pick<ReadOptions, 'delimiter' | 'code'>,
): Promise<{ delimiter: string; chunks: Chunks; skipped: string }> {
  for (let chunks = file, size = 1; ; ) {
    const peeked = await peek(chunks, size)
    chunks = peeked.chunks
    const text = peeked.head.toString('latin1')
    const isAll = peeked.head.length < size || peeked.head.length >= maxHeader
    size = peeked.head.length + 1
    const [skipped = '', named] = /^"?sep=(.)"?(?:\r\n|[\r\n](?=.|\n))/i.exec(text) ?? []
    const start = text.length - text.slice(skipped.length).replace(/^[\r\n]+/, '').length
    if (!isAll && (lineOf(text, start)?.end ?? text.length) >= text.length - 1) continue
    const delimiter = given ?? named ?? likeliest(text, start, code)
    return { delimiter, chunks: withoutStart(chunks, skipped.length), skipped }
  }
}

function likeliest(text: string, start: number, code: string | undefined): string {
  const header = lineOf(text, start)
  if (!header) return ','
  const lines: number[][] = []
  for (let line = lineOf(text, header.end + 1); line && lines.length < maxRows; line = lineOf(text, line.end + 1)) {
    if (line.counts.some((count) => count > 0)) lines.push(line.counts)
  }
  const all = separators.flatMap((candidate, i) => {
    const count = header.counts[i] ?? 0
    return count === 0 ? [] : { candidate, count, votes: lines.filter((counts) => counts[i] === count).length }
  })
  const withCode = all.filter(({ candidate }) => hasCode(recordReader(candidate)(text, start, true)?.cells, code))
  const found = withCode.length > 0 ? withCode : all
  const most = Math.max(...found.map(({ count }) => count))
  const byVotes = found.toSorted((a, b) => b.votes - a.votes)
  const likely = byVotes.find(({ count }) => count === most)
  const other = byVotes.find(({ votes }) => votes > 0 && votes === lines.length)
  return ((likely?.votes === 0 && other) || likely)?.candidate ?? ','
}

/** Whether a header, whose texts have a character for each byte, has the column of the product code. */
function hasCode(cells: readonly string[] | undefined, code: string | undefined): boolean {
  const columns = (cells ?? []).map((cell) => Buffer.from(cell.trim(), 'latin1').toString())
  return code === undefined ? defaultCode(columns) !== undefined : columns.includes(code)
}

/** How often each candidate is in a line outside quotes, and where the line ends; undefined at the end of the text. */
function lineOf(text: string, start: number): { counts: number[]; end: number } | undefined {
  if (start >= text.length) return undefined
  const counts = separators.map(() => 0)
  let isQuoted = false
  let begins = true
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    const candidate = separators.indexOf(character)
    if (character === '"' && (isQuoted || begins)) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (candidate >= 0) counts[candidate] = (counts[candidate] ?? 0) + 1
    else if (character === '\n' || character === '\r') return { counts, end: at }
    // A quote after a quoted part opens it again: it was doubled.
    begins = candidate >= 0 || character === '"'
  }
  return { counts, end: text.length }
}

/** A record of a CSV file: its cells, its beginning after a mark, its end, and the beginning of the next one. */
export interface ParsedRecord {
  cells: string[]
  begin: number
  /** The first cell with blanks before a quote, or text after a closing one, by its index. */
  misquoted: { at: number; fault: RowFault } | undefined
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
        misquoted ??= { at: cells.length, fault: at > first ? afterQuote(rest) : beforeQuote }
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

const beforeQuote = { expected: 'must begin with its quote', got: 'blanks before it' }

function afterQuote(text: string): RowFault {
  const got = text.trim() === '' ? 'blanks' : 'text'
  return { expected: 'must double a quote within a quoted cell', got: `${got} after the closing quote` }
}

/** Whether a cell is quoted in the text of its record. */
export function isQuoted(source: unknown, at: number, delimiter: string): boolean {
  if (typeof source !== 'string') return false
  const start = at === 0 ? 0 : recordReader(delimiter)(source, 0, true, at)?.next
  return source[start ?? 0] === '"'
}
