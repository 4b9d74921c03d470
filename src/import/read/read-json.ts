import { Assembler } from 'stream-json/assembler.js'
import { jsonParser, type Token } from 'stream-json/parser.js'
import { isObject } from '../../text.ts'
import { UsageError } from '../usage-error.ts'
import { comesTwice, exactNumber, isJsonObject, jsonRow, tooManyValues } from './json-row.ts'
import { BrokenFile, type Entry, maxRowLength, maxValues, type Reading } from './row.ts'

/**
 * Reads a JSON file that is a list of objects, or has one at a path of keys such as `data.products`. Throws a
 * BrokenFile where it is not, and a UsageError that says what it is if there is no list at its beginning.
 */
export async function* readJson(
  chunks: AsyncIterable<Buffer>,
  { at, atOption, formatOption }: Pick<Reading, 'at' | 'atOption' | 'formatOption'>,
): AsyncGenerator<Entry[]> {
  const tokensOf = tokenizer()
  const find = listFinder(at, atOption, formatOption)
  let assembler: Assembler<unknown[]> | undefined
  let isOver = false
  let number = 0
  let size = 0
  let tokens = 0
  let repeated: string | undefined
  /** The bytes of the row so far: its value lacks the first values of a repeated key, and may be too deep to write. */
  let parts: Buffer[] = []
  let depth = 0
  const rowsOf = (bytes?: Buffer): Entry[] => {
    const rows: Entry[] = []
    size += bytes?.length ?? 0
    if (bytes) parts.push(bytes)
    if (size > maxRowLength) throw new BrokenFile(`the row has more than ${maxRowLength} characters`)
    for (const token of tokensOf(bytes)) {
      if (!assembler) {
        if (!find(token)) continue
        assembler = new Assembler<unknown[]>()
        parts = []
      }
      // What follows the list in an object is not read.
      if (isOver && at !== undefined) continue
      // A member of an object is two tokens, and each object and list has two more.
      if (token.name === 'keyValue' && hasKey(assembler.current, token.value)) repeated ??= token.value
      if (++tokens > 3 * maxValues) throw new BrokenFile(`the row ${tooManyValues}`)
      assembler.consume(token.name === 'numberValue' ? exactToken(token.value) : token)
      depth = Math.max(depth, assembler.depth)
      isOver = assembler.done
      if (assembler.depth === 1 && assembler.current?.length) {
        const value = assembler.current.pop()
        const isText = isJsonObject(value) && (repeated !== undefined || depth > maxWrittenDepth)
        const source = isText
          ? Buffer.concat(parts)
              .toString()
              .replace(/^[\s,]+/, '')
          : { value }
        const row = jsonRow(value, { number: ++number }, source, size)
        rows.push(repeated === undefined ? row : { number, source, field: repeated, reason: comesTwice })
        size = tokens = depth = 0
        parts = []
        repeated = undefined
      }
    }
    if (isOver) size = 0
    return rows
  }
  for await (const chunk of chunks) {
    const rows: Entry[] = []
    try {
      for (const piece of piecesOf(chunk, () => assembler === undefined)) rows.push(...rowsOf(piece))
    } finally {
      yield rows
    }
  }
  yield rowsOf()
  if (!isOver) throw new BrokenFile('the file ends before its JSON list does')
}

function hasKey(object: unknown, key: string): boolean {
  return isObject(object) && Object.hasOwn(object, key)
}

/** A value of this depth can be written as JSON for certain. */
const maxWrittenDepth = 1_000

/** Finds the token that begins the list. Throws a UsageError if the file is something else. */
function listFinder(at: string | undefined, option: string, formatOption: string): (token: Token) => boolean {
  const path: string[] = []
  let key = ''
  let isBegun = false
  return (token) => {
    const { name } = token
    const here = [...path, key].slice(1).join('.')
    if (!isBegun && name !== 'startArray' && name !== 'startObject') {
      throw new UsageError('the file must be a JSON list of objects; it is one value')
    }
    if (name === 'keyValue') key = token.value
    if (name === 'startObject') path.push(key)
    if (name === 'endObject') {
      key = path.pop() ?? ''
      if (path.length === 0) {
        const without = `a list of objects; it is an object without a list, or JSON Lines: ${formatOption} jsonl`
        const expected = at === undefined ? without : `a list at ${at}`
        throw new UsageError(`the file must be JSON with ${expected}`)
      }
    }
    const isList = name === 'startArray'
    const isFirst = !isBegun
    isBegun = true
    if (!isList) return false
    // What failed of a list in an object is a list: it is imported with the same option.
    if (isFirst || here === at) return true
    if (at === undefined) {
      throw new UsageError(
        `the file must be a JSON list of objects; it is an object with the list "${here}": ${option} ${here}`,
      )
    }
    return false
  }
}

/**
 * The bytes up to each closing brace, and before the list to each opening bracket: no piece has parts of two rows, as
 * the tokenizer loses the rows of a broken piece.
 */
function* piecesOf(chunk: Buffer, isBefore: () => boolean): Generator<Buffer> {
  for (let from = 0; from < chunk.length; ) {
    const ends = isBefore() ? ['}', '['] : ['}']
    const found = ends.map((end) => chunk.indexOf(end, from)).filter((at) => at >= 0)
    const to = Math.min(...found, chunk.length - 1) + 1
    yield chunk.subarray(from, to)
    from = to
  }
}

/** A function that returns the tokens of the next bytes; of none at the end of the file. */
function tokenizer(): (bytes?: Buffer) => Iterable<Token> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const tokenize = jsonParser({ streamValues: false })
  return (bytes) => {
    try {
      const tokens = tokenize(decoder.decode(bytes, { stream: bytes !== undefined }))
      return typeof tokens === 'object' ? tokens.values : []
    } catch (error) {
      if (error instanceof TypeError) throw new BrokenFile('the file must be UTF-8')
      const reason = error instanceof Error ? error.message.replace('Parser cannot parse input: ', '') : error
      throw new BrokenFile(`the file must be JSON: ${reason}`)
    }
  }
}

/** The assembler would round a number; a string it keeps as it is, whatever it is. */
function exactToken(text: string): Token {
  return { name: 'stringValue', value: exactNumber(text) as string }
}
