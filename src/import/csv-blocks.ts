import { isUtf8 } from 'node:buffer'
import { BrokenFile } from './broken-file.ts'
import { CsvText } from './csv-record.ts'
import { longestRow } from './row.ts'
import { wholeLength } from './utf8-text.ts'

/** A record as it stands in the file. */
export interface FoundRecord {
  /** Where the record is not UTF-8, its texts are bytes, one a character. */
  cells: string[]
  text: string
  isUtf8: boolean
  /** The place of a quoted cell with text behind its closing quote, if there is one. */
  torn: number | undefined
  line: number
}

interface Reading {
  /** What has been read and is not yet a whole record. */
  rest: Buffer
  /** The line that it begins on. */
  line: number
  isTooLong: boolean
}

/** Finds the records of a file, those of each part that was read at once. Throws a BrokenFile where a quoted cell, or a record, never ends. */
export async function* csvBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<FoundRecord[]> {
  const reading: Reading = { rest: Buffer.alloc(0), line: 1, isTooLong: false }
  let waiting: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    size += chunk.length
    // A long record is not searched again for each small part of it that comes in.
    if (size < Math.min(reading.rest.length, longestRow)) continue
    yield take(reading, Buffer.concat([reading.rest, ...waiting]), false)
    if (reading.isTooLong) throw tooLong(reading.line)
    waiting = []
    size = 0
  }
  yield take(reading, Buffer.concat([reading.rest, ...waiting]), true)
  if (reading.isTooLong) throw tooLong(reading.line)
  if (reading.rest.length > 0) throw new BrokenFile('a quoted cell begins in this row and never ends', reading.line)
}

/** Takes the records out of the bytes; what is left for the next time stays in `reading`. */
function take(reading: Reading, bytes: Buffer, isLast: boolean): FoundRecord[] {
  const whole = isLast ? bytes : bytes.subarray(0, wholeLength(bytes))
  const encoding = isUtf8(whole) ? 'utf8' : 'latin1'
  const text = whole.toString(encoding)
  const records: FoundRecord[] = []
  const csv = new CsvText(text, isLast)
  let at = 0
  for (let record = csv.recordAt(at); record !== undefined && record !== 'cut'; record = csv.recordAt(at)) {
    const { cells, start, end, next, torn, lineBreaks } = record
    reading.isTooLong ||= end - start > longestRow
    if (reading.isTooLong) break
    if (end > start) {
      const isText = encoding === 'utf8'
      records.push({ cells, text: text.slice(start, end), isUtf8: isText, torn, line: reading.line })
    }
    reading.line += 1 + lineBreaks
    at = next
  }
  reading.rest = bytes.subarray(Buffer.byteLength(text.slice(0, at), encoding))
  reading.isTooLong ||= reading.rest.length > longestRow
  return records
}

function tooLong(line: number): BrokenFile {
  return new BrokenFile(`the row has more than ${longestRow} characters: a quote may be missing`, line)
}
