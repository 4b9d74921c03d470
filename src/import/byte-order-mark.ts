import { UsageError } from './usage-error.ts'

/** Drops UTF-8's byte-order mark and throws a UsageError at the beginning of what is no text in UTF-8. */
export async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (start === undefined) {
      yield chunk
    } else {
      start = Buffer.concat([start, chunk])
      if (start.length < 4) continue
      yield markless(start)
      start = undefined
    }
  }
  if (start !== undefined && start.length > 0) yield markless(start)
}

/** How files begin that were meant to be something else, in hexadecimal digits, and what to do with them. */
const others: readonly [beginning: RegExp, advice: string][] = [
  [/^(feff|fffe)/, 'the file is UTF-16: save it as UTF-8'],
  [/^(00|..00)/, 'the file has NUL at its beginning: it may be UTF-16, save it as UTF-8'],
  [/^1f8b/, 'the file is compressed by gzip: unpack it first'],
  [/^504b0304/, 'the file is a ZIP archive or a spreadsheet: unpack it, or save it as CSV in UTF-8'],
]

function markless(start: Buffer): Buffer {
  const beginning = start.subarray(0, 4).toString('hex')
  const other = others.find(([pattern]) => pattern.test(beginning))
  if (other) throw new UsageError(other[1])
  return beginning.startsWith('efbbbf') ? start.subarray(3) : start
}
