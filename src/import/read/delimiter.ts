import { peek, withoutStart } from './bytes/bytes.ts'

type Chunks = AsyncIterable<Buffer>

/** Separators of cells that are recognized, in the order of preference. */
const candidates = [',', ';', '\t', '|']
const maxHeader = 1024 * 1024
/** How many rows decide between separators. */
const maxRows = 20

/**
 * The separator of a CSV file and its content, after Excel's line `sep=;` if there is one: the separator of this line,
 * else that which gives the header the most cells outside quotes, else that which rows have as often as the header; the
 * latter also if no row has the former so, as where names of columns have commas.
 */
export async function findDelimiter(
  file: Chunks,
  given: string | undefined,
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
    const delimiter = given ?? named ?? likeliest(text, start)
    return { delimiter, chunks: withoutStart(chunks, skipped.length), skipped }
  }
}

function likeliest(text: string, start: number): string {
  const header = lineOf(text, start)
  if (!header) return ','
  const most = Math.max(...header.counts)
  if (most === 0) return ','
  const lines: number[][] = []
  for (let line = lineOf(text, header.end + 1); line && lines.length < maxRows; line = lineOf(text, line.end + 1)) {
    if (line.counts.some((count) => count > 0)) lines.push(line.counts)
  }
  const found = candidates.map((candidate, i) => {
    const count = header.counts[i] ?? 0
    return { candidate, count, votes: count === 0 ? 0 : lines.filter((counts) => counts[i] === count).length }
  })
  const byVotes = found.toSorted((a, b) => b.votes - a.votes)
  const likely = byVotes.find(({ count }) => count === most)
  const other = byVotes.find(({ votes }) => votes > 0 && votes === lines.length)
  return ((likely?.votes === 0 && other) || likely)?.candidate ?? ','
}

/** How often each candidate is in a line outside quotes, and where the line ends; undefined at the end of the text. */
function lineOf(text: string, start: number): { counts: number[]; end: number } | undefined {
  if (start >= text.length) return undefined
  const counts = candidates.map(() => 0)
  let isQuoted = false
  let begins = true
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    const candidate = candidates.indexOf(character)
    if (character === '"' && (isQuoted || begins)) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (candidate >= 0) counts[candidate] = (counts[candidate] ?? 0) + 1
    else if (character === '\n' || character === '\r') return { counts, end: at }
    // A quote after a quoted part opens it again: it was doubled.
    begins = candidate >= 0 || character === '"'
  }
  return { counts, end: text.length }
}
