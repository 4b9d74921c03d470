import { UsageError } from '../usage-error.ts'
import { readCsv } from './read-csv.ts'
import { readJson } from './read-json.ts'
import { readJsonl } from './read-jsonl.ts'
import { BrokenFile, type Entry, type Format, type RowSource } from './row.ts'

/**
 * Reads a file's rows in order. If the file cannot be read to its end, the last entry says why. Throws a UsageError if its beginning cannot
 * be read.
 */
export async function readRows(chunks: AsyncIterable<Buffer>, format: Format): Promise<RowSource> {
  const { columns, rows } = await sourceOf(requireText(chunks), format)
  return { columns, rows: untilBroken(rows) }
}

/** The first bytes of files that are not text in UTF-8, in hexadecimal digits, and what to do with them. */
const others: readonly [beginning: RegExp, advice: string][] = [
  [/^(feff|fffe)/, 'the file is UTF-16: save it as UTF-8'],
  [/^(00|..00)/, 'the file has NUL at its beginning: it may be UTF-16, save it as UTF-8'],
  [/^1f8b/, 'the file is compressed by gzip: unpack it first'],
  [/^504b0304/, 'the file is a ZIP archive or a spreadsheet: unpack it, or save it as CSV in UTF-8'],
]

/** The same bytes. Throws a UsageError if they begin as other kinds of files do. */
async function* requireText(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const longest = 4
  let start = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (start.length < longest) {
      start = Buffer.concat([start, chunk.subarray(0, longest - start.length)])
      const beginning = start.toString('hex')
      const other = others.find(([pattern]) => pattern.test(beginning))
      if (other) throw new UsageError(other[1])
    }
    yield chunk
  }
}

async function sourceOf(chunks: AsyncIterable<Buffer>, format: Format): Promise<RowSource> {
  switch (format) {
    case 'csv':
      return readCsv(chunks).catch((error: unknown) => {
        throw error instanceof BrokenFile ? new UsageError(`the header line cannot be read: ${error.message}`) : error
      })
    case 'jsonl':
      return { columns: undefined, rows: inBlocks(readJsonl(chunks)) }
    case 'json':
      return { columns: undefined, rows: inBlocks(readJson(chunks)) }
    default:
      return format satisfies never
  }
}

const mostRows = 256
const mostCharacters = 256 * 1024

async function* inBlocks(rows: AsyncIterable<Entry>): AsyncGenerator<Entry[]> {
  let block: Entry[] = []
  let size = 0
  try {
    for await (const row of rows) {
      block.push(row)
      size += 'cells' in row ? row.size : 0
      if (block.length < mostRows && size < mostCharacters) continue
      yield block
      block = []
      size = 0
    }
  } catch (error) {
    yield block
    throw error
  }
  yield block
}

async function* untilBroken(blocks: AsyncIterable<Entry[]>): AsyncGenerator<Entry[]> {
  let number = 1
  try {
    for await (const rows of blocks) {
      const last = rows.at(-1)
      if (!last) continue
      number = last.number + 1
      yield rows
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const line = error instanceof BrokenFile ? error.line : undefined
    yield [{ number, line, field: undefined, reason, ends: true, source: undefined }]
  }
}
