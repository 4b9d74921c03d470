import { jsonRow, parseExactly } from './json-row.ts'
import { type Entry, longestRow, type Source } from './row.ts'

/** Reads JSON Lines: an object a line. Blank lines are skipped; a line that is not JSON, or not UTF-8, fails alone. */
export async function* readJsonl(chunks: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  let number = 0
  let line = 0
  for await (const bytes of readLines(chunks)) {
    line++
    const text = bytes && textOf(bytes)
    if (text?.trim() === '') continue
    const place = { number: ++number, line }
    const unreadable = (reason: string, source?: Source) => {
      return { ...place, field: undefined, reason, ends: false, source }
    }
    if (bytes === undefined) yield unreadable(`must have at most ${longestRow} characters`)
    else if (text === undefined) yield unreadable('must be UTF-8', bytes)
    else {
      const parsed = parsedOf(text)
      yield 'reason' in parsed ? unreadable(parsed.reason, text) : jsonRow(parsed.value, place, text.length, text)
    }
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The line's text; undefined if it is not UTF-8. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

function parsedOf(text: string): { value: unknown } | { reason: string } {
  try {
    return { value: parseExactly(text) }
  } catch (error) {
    if (error instanceof RangeError) return { reason: 'is nested too deeply' }
    return { reason: `must be JSON: ${error instanceof Error ? error.message : error}` }
  }
}

/** The lines of a file, undefined for one that is too long to be kept. */
async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer) => {
    size += part.length
    if (size <= longestRow) parts.push(part)
    else parts = []
  }
  const take = () => {
    const line = size <= longestRow ? Buffer.concat(parts) : undefined
    parts = []
    size = 0
    return line
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf('\n'); to >= 0; to = chunk.indexOf('\n', from)) {
      add(chunk.subarray(from, to))
      yield take()
      from = to + 1
    }
    add(chunk.subarray(from))
  }
  if (size > 0) yield take()
}
