import type { Format } from '../row.ts'

/** A mark, blanks, and the first line, of bytes as characters. NULs of UTF-16 are left out before. */
const beginning = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(\S[^\n]*)(\n?)/

/** The format of a file without a name, by its beginning. `at` names a list in a JSON object. */
export function formatOfBytes(head: Buffer, at: string | undefined): Format {
  const [, line = '', end = ''] = beginning.exec(head.toString('latin1').replaceAll('\0', '')) ?? []
  if (line.startsWith('<')) return 'xml'
  if (line.startsWith('[')) return 'json'
  if (!line.startsWith('{')) return 'csv'
  // An object of several lines is no row of JSON Lines.
  const isOfLines = at === undefined && (end === '' || /\}\s*$/.test(line))
  return isOfLines ? 'jsonl' : 'json'
}
