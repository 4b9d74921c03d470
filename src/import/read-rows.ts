import { BrokenFile } from './broken-file.ts'
import { withoutMark } from './byte-order-mark.ts'
import type { Format } from './format.ts'
import { readCsv } from './read-csv.ts'
import { readJson } from './read-json.ts'
import { readJsonl } from './read-jsonl.ts'
import type { Entry, RowSource } from './row.ts'
import { UsageError } from './usage-error.ts'

/**
 * Reads a file's rows one after another. Where it cannot be read any further, the last entry says so and why. Throws a
 * UsageError when it has no usable beginning.
 */
export async function readRows(chunks: AsyncIterable<Buffer>, format: Format): Promise<RowSource> {
  const { columns, rows } = await sourceOf(withoutMark(chunks), format)
  return { columns, rows: untilBroken(rows) }
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
