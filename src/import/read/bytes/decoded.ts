import { isAscii } from 'node:buffer'
import type { Notes } from '../../report/notes.ts'
import { UsageError } from '../../usage-error.ts'
import { BrokenFile, type Recognized } from '../row.ts'
import { peek, unpackedIfGzip, withoutStart } from './bytes.ts'
import { createJudge, type Encoding, markOf, toUtf8 } from './encoding.ts'

type Chunks = AsyncIterable<Buffer>

interface DecodeOptions {
  encoding: Encoding | undefined
  /** The name of the option that gives the encoding. */
  option: string
  /** Opens the file again; undefined: it can be read once. */
  reopen: (() => Chunks) | undefined
  recognized: Recognized
  notes: Notes
}

const sampleBytes = 1024 * 1024

/** The text of a file in UTF-8, without a byte-order mark. `head` are its first bytes. */
export async function decoded({ head, chunks }: { head: Buffer; chunks: Chunks }, options: DecodeOptions) {
  const { encoding, option, reopen, recognized, notes } = options
  const mark = markOf(head)
  if (!mark && !encoding && /^(00|..00)/.test(head.toString('hex'))) {
    throw new UsageError(`the file has NUL at its beginning: it may be UTF-16, which ${option} says`)
  }
  const given = encoding ?? mark?.encoding
  if (mark && mark.encoding !== given) {
    throw new UsageError(`${option} must be ${mark.encoding} or left out: the file begins with the mark of it`)
  }
  recognized.encoding = given ?? 'UTF-8'
  if (mark) recognized.bom = true
  const rest = mark ? withoutStart(chunks, mark.length) : chunks
  if (given) return toUtf8(rest, given)
  const found = (judged: Encoding) => {
    recognized.encoding = judged
    if (judged === 'Windows-1252') notes.add('windows_1252')
    return judged
  }
  if (!reopen) return decodedLate(rest, found)
  const { chunks: again } = await unpackedIfGzip(reopen())
  return toUtf8(rest, found(await judged(again)))
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
async function* decodedLate(chunks: Chunks, found: (judged: Encoding) => Encoding): AsyncGenerator<Buffer> {
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
    yield* toUtf8(sample.chunks, found(judge.end(sample.head.length >= sampleBytes)))
    return
  }
}
