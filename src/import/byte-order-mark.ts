import { UsageError } from './usage-error.ts'

/** Drops UTF-8's byte-order mark and throws a UsageError at UTF-16's. */
export async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (start === undefined) {
      yield chunk
    } else {
      start = Buffer.concat([start, chunk])
      if (start.length < 3) continue
      yield markless(start)
      start = undefined
    }
  }
  if (start !== undefined && start.length > 0) yield markless(start)
}

function markless(start: Buffer): Buffer {
  if ([0xfeff, 0xfffe].includes(start.length < 2 ? 0 : start.readUInt16BE())) {
    throw new UsageError('the file is UTF-16: save it as UTF-8')
  }
  return start.length >= 3 && start.readUIntBE(0, 3) === 0xefbbbf ? start.subarray(3) : start
}
