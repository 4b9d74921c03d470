import { isAscii, isUtf8 } from 'node:buffer'
import { shown } from '../../../text.ts'
import { type Encoding, optionName } from '../../options.ts'
import type { Notes } from '../../report/notes.ts'
import { UsageError } from '../../usage-error.ts'
import { BrokenFile, type Reading, type Reopen } from '../row.ts'
import { peek, unpackedIfGzip, withoutStart } from './bytes.ts'

type Chunks = AsyncIterable<Buffer>

const sampleBytes = 1024 * 1024

/** The text of a file in UTF-8, without a byte-order mark. `head` are its first bytes. */
export async function decoded(
  { head, chunks }: { head: Buffer; chunks: Chunks },
  { options, recognized, notes }: Reading,
  reopen: Reopen | undefined,
) {
  const { encoding } = options
  const option = optionName(options, 'encoding')
  const mark = markOf(head)
  if (!mark && !encoding && /^(00|..00)/.test(head.toString('hex'))) {
    throw new UsageError(`the file has NUL at its beginning: if it is UTF-16, set ${option}`)
  }
  const given = encoding ?? mark?.encoding
  if (mark && mark.encoding !== given) {
    throw new UsageError(`${option} must be ${mark.encoding} or left out: its byte-order mark says so`)
  }
  recognized.encoding = given ?? 'UTF-8'
  if (mark) recognized.bom = true
  const rest = mark ? withoutStart(chunks, mark.length) : chunks
  if (given) return toUtf8(rest, given)
  const found = (text: Chunks, as: Encoding) => {
    recognized.encoding = as
    return toUtf8(as === 'Windows-1252' ? noted(text, notes) : text, as)
  }
  if (!reopen) return decodedLate(rest, found)
  const { chunks: again } = await unpackedIfGzip(reopen())
  return found(rest, await judged(again))
}

const wordBeyondAscii = /[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*/

/** The same bytes, with a note on the first word beyond ASCII: it shows if they are in another encoding. */
async function* noted(chunks: Chunks, notes: Notes): AsyncGenerator<Buffer> {
  let isNoted = false
  for await (const chunk of chunks) {
    if (!isNoted && !isAscii(chunk)) {
      isNoted = true
      const at = chunk.findIndex((byte) => byte > 0x7f)
      // A search of the whole chunk would take quadratic time in a run of letters.
      const [word = ''] = wordBeyondAscii.exec(chunk.toString('latin1', Math.max(0, at - 40), at + 40)) ?? []
      notes.add('windows_1252', { example: shown(fromWindows1252(Buffer.from(word, 'latin1')).toString()) })
    }
    yield chunk
  }
}

async function judged(chunks: Chunks): Promise<Encoding> {
  const judge = createJudge()
  try {
    for await (const chunk of chunks) {
      judge.add(chunk)
      if (judge.isDecided()) break
    }
  } catch (error) {
    // What cannot be unpacked is reported where the rows before it end.
    if (!(error instanceof BrokenFile)) throw error
  }
  return judge.end()
}

/** Decodes what can be read once: the first bytes beyond ASCII, and up to 1 MiB after them, decide. */
async function* decodedLate(chunks: Chunks, found: (text: Chunks, as: Encoding) => Chunks): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]()
  const rest = { [Symbol.asyncIterator]: () => iterator }
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    if (isAscii(next.value)) {
      yield next.value
      continue
    }
    const first = next.value
    async function* whole() {
      yield first
      yield* rest
    }
    const sample = await peek(whole(), sampleBytes)
    const judge = createJudge()
    judge.add(sample.head)
    yield* found(sample.chunks, judge.end(sample.head.length >= sampleBytes))
    return
  }
}

const marks: readonly [hex: string, encoding: Encoding][] = [
  ['efbbbf', 'UTF-8'],
  ['fffe', 'UTF-16LE'],
  ['feff', 'UTF-16BE'],
]

/** The encoding that a byte-order mark at the beginning names, and the mark's length. */
function markOf(head: Buffer): { encoding: Encoding; length: number } | undefined {
  const hex = head.toString('hex', 0, 3)
  const [found, encoding] = marks.find(([mark]) => hex.startsWith(mark)) ?? []
  return found && encoding ? { encoding, length: found.length / 2 } : undefined
}

/** The same text in UTF-8. Bytes without a meaning become a byte that UTF-8 never has, so that their row fails. */
async function* toUtf8(chunks: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  if (encoding === 'UTF-8') yield* chunks
  else if (encoding === 'Windows-1252') for await (const chunk of chunks) yield fromWindows1252(chunk)
  else yield* fromUtf16(chunks, encoding === 'UTF-16BE')
}

const meaningless = '\ud800'
/** The characters of 0x80 to 0x9f. Five of them have none. */
const specials = `€${meaningless}‚ƒ„…†‡ˆ‰Š‹Œ${meaningless}Ž${meaningless}${meaningless}‘’“”•–—˜™š›œ${meaningless}žŸ`

function fromWindows1252(chunk: Buffer): Buffer {
  if (isAscii(chunk)) return chunk
  const text = chunk.toString('latin1')
  return utf8Of(text.replaceAll(/[\x80-\x9f]/g, (byte) => specials[byte.charCodeAt(0) - 0x80] ?? meaningless))
}

async function* fromUtf16(chunks: AsyncIterable<Buffer>, isBigEndian: boolean): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk])
    let length = bytes.length - (bytes.length % 2)
    // The second half of a character may come with the next chunk.
    const last = length === 0 ? 0 : (bytes[length - (isBigEndian ? 2 : 1)] ?? 0)
    if (last >= 0xd8 && last < 0xdc) length -= 2
    rest = bytes.subarray(length)
    const whole = bytes.subarray(0, length)
    yield utf8Of((isBigEndian ? Buffer.from(whole).swap16() : whole).toString('utf16le'))
  }
  if (rest.length > 0) yield Buffer.from([invalid])
}

const invalid = 0xff

function utf8Of(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text)
  const parts = text
    .split(/\p{Surrogate}/u)
    .flatMap((part, i) => [...(i > 0 ? [Buffer.from([invalid])] : []), Buffer.from(part)])
  return Buffer.concat(parts)
}

/**
 * Judges bytes by what came so far: UTF-8, or Windows-1252 if they are not UTF-8 and hold no valid sequence of several
 * bytes. Once it is UTF-8 for certain, `isDecided`.
 */
function createJudge() {
  let isValid = true
  let hasSequence = false
  let rest: Buffer = Buffer.alloc(0)
  const judge = (bytes: Buffer) => {
    if (isAscii(bytes)) return
    if (isUtf8(bytes)) hasSequence = true
    else {
      isValid = false
      hasSequence ||= sequence.test(bytes.toString('latin1'))
    }
  }
  return {
    add: (chunk: Buffer) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const end = lastWhole(bytes)
      judge(bytes.subarray(0, end))
      rest = bytes.subarray(end)
    },
    isDecided: () => !isValid && hasSequence,
    /** `isCut`: more bytes follow, which are not judged. */
    end: (isCut = false): 'UTF-8' | 'Windows-1252' => {
      if (!isCut) judge(rest)
      return isValid || hasSequence ? 'UTF-8' : 'Windows-1252'
    },
  }
}

/** The index up to which no sequence is cut by the end of the bytes. */
function lastWhole(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at--) if ((bytes[at] ?? 0) >= 0xc0) return at
  return bytes.length
}

/** A valid sequence of several bytes (RFC 3629, 4). */
const sequence = new RegExp(
  [
    '[\\xc2-\\xdf][\\x80-\\xbf]',
    '\\xe0[\\xa0-\\xbf][\\x80-\\xbf]|\\xed[\\x80-\\x9f][\\x80-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}',
    '\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}|\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2}|[\\xf1-\\xf3][\\x80-\\xbf]{3}',
  ].join('|'),
)
