import { isUtf8 } from 'node:buffer'
import { parseExactly } from './exact-json.ts'
import { objectRow } from './object-row.ts'
import { type Entry, longestRow, type Source } from './row.ts'

interface Line {
  line: number
  /** Undefined for a line that is too long to be read. */
  bytes: Buffer | undefined
}

/** Reads JSON Lines: an object a line. Blank lines are skipped; a line that is no JSON, or no UTF-8, fails alone. */
export async function* readJsonl(chunks: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  let number = 0
  for await (const { line, bytes } of readLines(chunks)) {
    const text = bytes?.toString()
    if (text?.trim() === '') continue
    number++
    const unreadable = (reason: string, source?: Source) => {
      return { number, line, field: undefined, reason, ends: false, source }
    }
    if (bytes === undefined || text === undefined) {
      yield unreadable(`must have at most ${longestRow} characters`)
    } else if (!isUtf8(bytes)) {
      yield unreadable('must be UTF-8', bytes)
    } else {
      const parsed = parsedOf(text)
      if ('reason' in parsed) yield unreadable(parsed.reason, text)
      else yield objectRow(parsed.value, { number, line }, text.length, text)
    }
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

async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let size = 0
  let line = 1
  const add = (part: Buffer) => {
    size += part.length
    if (size <= longestRow) parts.push(part)
    else parts = []
  }
  const take = (): Line => {
    const taken = { line, bytes: size <= longestRow ? Buffer.concat(parts) : undefined }
    parts = []
    size = 0
    line++
    return taken
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
