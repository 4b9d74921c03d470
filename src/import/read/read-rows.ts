import { messageOf } from '../../errors.ts'
import { UsageError } from '../usage-error.ts'
import { readCsv } from './read-csv.ts'
import { readJson } from './read-json.ts'
import { readJsonl } from './read-jsonl.ts'
import { BrokenFile, type Entry, type Format, type RowSource } from './row.ts'

/**
 * Reads a file's rows in order. If the file cannot be read to its end, the last entry says why. Throws a UsageError if
 * its beginning cannot be read.
 */
export async function readRows(chunks: AsyncIterable<Buffer>, format: Format): Promise<RowSource> {
  const bytes = requireText(chunks)
  if (format === 'jsonl') return { columns: undefined, rows: endWithError(readJsonl(bytes)) }
  if (format === 'json') return { columns: undefined, rows: endWithError(readJson(bytes)) }
  const { columns, rows } = await readCsv(bytes)
  return { columns, rows: endWithError(rows) }
}

/** The first bytes of files that are not text in UTF-8, in hexadecimal digits, and what to do with them. */
const others: readonly [beginning: RegExp, advice: string][] = [
  [/^(feff|fffe)/, 'the file is UTF-16: save it as UTF-8'],
  [/^(00|..00)/, 'the file has NUL at its beginning: it may be UTF-16, save it as UTF-8'],
  [/^1f8b/, 'the file is compressed by gzip: unpack it first'],
  [/^504b0304/, 'the file is a ZIP archive or a spreadsheet: unpack it, or save it as CSV in UTF-8'],
]

/** The same bytes without a byte-order mark. Throws a UsageError if they begin as other kinds of files do. */
async function* requireText(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (!start) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < 4) continue
    yield textOf(start)
    start = undefined
  }
  if (start) yield textOf(start)
}

function textOf(start: Buffer): Buffer {
  const beginning = start.toString('hex', 0, 4)
  const other = others.find(([pattern]) => pattern.test(beginning))
  if (other) throw new UsageError(other[1])
  return beginning.startsWith('efbbbf') ? start.subarray(3) : start
}

async function* endWithError(blocks: AsyncIterable<Entry[]>): AsyncGenerator<Entry[]> {
  let number = 1
  try {
    for await (const rows of blocks) {
      number = (rows.at(-1)?.number ?? number - 1) + 1
      yield rows
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const reason = messageOf(error)
    yield [{ number, line: error instanceof BrokenFile ? error.line : undefined, reason, ends: true }]
  }
}
