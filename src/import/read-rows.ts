import { BrokenFile } from './broken-file.ts'
import { withoutMark } from './byte-order-mark.ts'
import type { Format } from './format.ts'
import { readCsv } from './read-csv.ts'
import { readJson } from './read-json.ts'
import { readJsonl } from './read-jsonl.ts'
import type { Row, RowSource, UnreadableRow } from './row.ts'
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
      return { columns: undefined, rows: readJsonl(chunks) }
    case 'json':
      return { columns: undefined, rows: readJson(chunks) }
    default:
      return format satisfies never
  }
}

async function* untilBroken(rows: AsyncIterable<Row | UnreadableRow>): AsyncGenerator<Row | UnreadableRow> {
  let number = 1
  try {
    for await (const row of rows) {
      number = row.number + 1
      yield row
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    yield { number, line: error instanceof BrokenFile ? error.line : undefined, field: undefined, reason, ends: true }
  }
}
