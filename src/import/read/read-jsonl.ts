import { messageOf } from '../../errors.ts'
import { optionName } from '../options.ts'
import { UsageError } from '../usage-error.ts'
import { recordsOf } from './bytes/bytes.ts'
import { hasTooManyValues, jsonRow, parseExactly, RepeatedKey, tooManyValues } from './json-row.ts'
import { maxRowLength } from './limits.ts'
import type { Entry, Reading, UnreadableRow } from './row.ts'

/**
 * Reads JSON Lines: an object a line. Skips blank lines; a line not in JSON, not in UTF-8, or too long fails alone.
 * Throws a UsageError for a file that is a list.
 */
export function readJsonl(
  chunks: AsyncIterable<Buffer>,
  { options }: Pick<Reading, 'options'>,
): AsyncGenerator<Entry[]> {
  let number = 0
  let line = 0
  let isTooLong = false
  const rowOf = (bytes: Buffer): Entry[] => {
    line++
    const parsed = isTooLong ? tooLong : parsedOf(bytes)
    isTooLong = false
    if (!parsed) return []
    if (number === 0 && /^\s*\[\s*(\{|$)/.test(bytes.toString('latin1', 0, 100))) {
      throw new UsageError(`the file must be JSON Lines; it begins with a list: ${optionName(options, 'format')} json`)
    }
    const place = { number: ++number, line }
    return [
      'fault' in parsed ? { ...place, ...parsed } : jsonRow(parsed.value, place, parsed.source, parsed.source.length),
    ]
  }
  return recordsOf(chunks, (bytes, isLast) => {
    const records: Entry[] = []
    let at = 0
    for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', at)) {
      isTooLong ||= end - at > maxRowLength
      records.push(...rowOf(bytes.subarray(at, end)))
      at = end + 1
    }
    // The beginning of a line that is too long is dropped.
    isTooLong ||= bytes.length - at > maxRowLength
    if (isLast && (isTooLong || at < bytes.length)) records.push(...rowOf(bytes.subarray(at)))
    return { records, used: isTooLong ? bytes.length : at }
  })
}

const tooLong = { fault: { expected: `must have at most ${maxRowLength} characters` } }
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The value of a line, or why it has none; undefined for a blank one. */
function parsedOf(
  bytes: Buffer,
): { value: unknown; source: string } | Pick<UnreadableRow, 'fault' | 'source'> | undefined {
  let source: string
  try {
    source = decoder.decode(bytes)
  } catch {
    // Each byte is a character: nothing is lost, and most files that are not UTF-8 are Latin-1.
    return { fault: { expected: 'must be UTF-8' }, source: { value: bytes.toString('latin1') } }
  }
  if (source.trim() === '') return undefined
  if (hasTooManyValues(source)) return { fault: { expected: tooManyValues }, source }
  try {
    return { value: parseExactly(source), source }
  } catch (error) {
    if (error instanceof RangeError) return { fault: { expected: error.message }, source }
    if (error instanceof RepeatedKey) return { fault: { field: error.key, expected: error.message }, source }
    return { fault: { expected: `must be JSON: ${messageOf(error)}` }, source }
  }
}
