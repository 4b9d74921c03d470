import { isUtf8 } from 'node:buffer'
import { BrokenFile } from './broken-file.ts'

/** Decodes UTF-8. Throws a BrokenFile at the first bytes that are none, after the text before them. */
export async function* utf8Text(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk])
    const whole = wholeLength(bytes)
    yield* textOf(bytes.subarray(0, whole))
    rest = bytes.subarray(whole)
  }
  yield* textOf(rest)
}

function* textOf(bytes: Buffer): Generator<string> {
  if (isUtf8(bytes)) {
    yield bytes.toString()
  } else {
    yield bytes.subarray(0, validLength(bytes)).toString()
    throw new BrokenFile('the file must be UTF-8')
  }
}

/** The length in bytes without a character that is cut off at the end. */
export function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    const needed = byte < 0xc0 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    if (needed > 0) return needed > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** The length of the longest beginning that is UTF-8, by halving. */
function validLength(bytes: Buffer): number {
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    const whole = wholeLength(bytes.subarray(0, middle))
    if (isUtf8(bytes.subarray(0, whole))) good = middle
    else bad = middle
  }
  return wholeLength(bytes.subarray(0, good))
}
