import { Assembler } from 'stream-json/assembler.js'
import { jsonParser, type Token } from 'stream-json/parser.js'
import { errorKeys } from '../../request/csv/attribute-column.ts'
import { isObject } from '../../text.ts'
import { optionName } from '../options.ts'
import { UsageError } from '../usage-error.ts'
import { comesTwice, exactNumber, jsonRow, tooDeep, tooManyValues } from './json-row.ts'
import { maxLevels, maxRowLength, maxValues } from './limits.ts'
import { BrokenFile, type Entry, type Reading, type ReadOptions } from './row.ts'

/**
 * Reads a JSON file that is a list of objects, or has one at a path of keys such as `data.products`. Throws a
 * BrokenFile where it is not, and a UsageError that says what it is if there is no list at its beginning.
 */
export async function* readJson(
  chunks: AsyncIterable<Buffer>,
  { options }: Pick<Reading, 'options'>,
): AsyncGenerator<Entry[]> {
  const tokensOf = tokenizer()
  const { at } = options
  const find = listFinder(options)
  let list: Assembler<unknown[]> | undefined
  let isReport = false
  let isOver = false
  /** The bytes of the present value after the list in an object. */
  let after = 0
  let number = 0
  let row = openRow()
  const rowsOf = (bytes?: Buffer): Entry[] => {
    const rows: Entry[] = []
    if (isOver) after += bytes?.length ?? 0
    else row.size += bytes?.length ?? 0
    // It would be in memory until its end.
    if (after > maxRowLength) throw new BrokenFile(`a value after the list has more than ${maxRowLength} characters`)
    if (row.size > maxRowLength) throw new BrokenFile(`the row has more than ${maxRowLength} characters`)
    if (bytes) row.text?.push(bytes)
    for (const token of tokensOf(bytes)) {
      after = 0
      if (!list || isOver) {
        const path = find(token)
        if (path === undefined) continue
        if (isOver) throw new BrokenFile(`the file must have one list at ${path}; got another`)
        // What failed of a list in an object is a list: it is imported with the same option.
        isReport = path !== (at ?? '')
        list = new Assembler<unknown[]>()
        row = openRow()
      }
      if (token.name === 'startObject' && list.depth === 1) row.text = [Buffer.from('{')]
      // A member of an object is two tokens, and each object and list has two more.
      if (token.name === 'keyValue' && hasKey(list.current, token.value)) row.repeated ??= token.value
      if (++row.tokens > 3 * maxValues) throw new BrokenFile(`the row ${tooManyValues}`)
      list.consume(token.name === 'numberValue' ? exactToken(token.value) : token)
      row.depth = Math.max(row.depth, list.depth)
      isOver = list.done
      if (list.depth === 1 && list.current?.length) {
        const value = list.current.pop()
        if (isReport && number === 0 && !hasKey(value, errorKeys.errors)) throw notAt(options)
        rows.push(entryOf(value, ++number, row))
        row = openRow()
      }
    }
    return rows
  }
  for await (const chunk of chunks) {
    const rows: Entry[] = []
    try {
      for (const piece of piecesOf(chunk, () => (list ? (row.text ? ['}'] : ['{']) : ['}', '[']))) {
        rows.push(...rowsOf(piece))
      }
    } finally {
      yield rows
    }
  }
  yield rowsOf()
  if (!list) throw new UsageError('the file must be a JSON list of objects; it ends before one begins')
  if (!isOver) throw new BrokenFile(unended)
}

/** The tokenizer waits for the rest of a text with such a character. */
const unended = 'the file ends before its JSON list does, or has a text with a line break or tab that is not escaped'

/** What is known of a row before its end. */
interface OpenRow {
  size: number
  tokens: number
  depth: number
  repeated: string | undefined
  /** The bytes of an object: its value lacks the first values of a repeated key, and may be too deep to write. */
  text: Buffer[] | undefined
}

function openRow(): OpenRow {
  return { size: 0, tokens: 0, depth: 0, repeated: undefined, text: undefined }
}

function entryOf(value: unknown, number: number, { size, depth, repeated, text }: OpenRow): Entry {
  // The row itself is in the list.
  const isTooDeep = depth - 1 > maxLevels
  const isText = text && (repeated !== undefined || isTooDeep)
  const source = isText ? Buffer.concat(text).toString() : { value: isTooDeep ? null : value }
  if (isTooDeep) return { number, source, fault: { expected: tooDeep } }
  if (repeated !== undefined) return { number, source, fault: { field: repeated, expected: comesTwice } }
  return jsonRow(value, { number }, source, size)
}

function hasKey(object: unknown, key: string): boolean {
  return isObject(object) && Object.hasOwn(object, key)
}

/** The error of a file without the list that is asked for. */
function notAt(options: ReadOptions, isWithin = false): UsageError {
  const { at } = options
  const without = `a list of objects; it is an object without a list, or JSON Lines: ${optionName(options, 'format')} jsonl`
  const list = `a list at ${at}${isWithin ? '; it is within another list' : ''}`
  return new UsageError(`the file must be JSON with ${at === undefined ? without : list}`)
}

/**
 * Returns the path of the list for the token that begins it, and of another one at the same path. Throws a UsageError
 * if the file is something else.
 */
function listFinder(options: ReadOptions): (token: Token) => string | undefined {
  const { at } = options
  const path: string[] = []
  let key = ''
  /** How many lists are open: there may be several at a path within them. */
  let depth = 0
  let [isBegun, isFound] = [false, false]
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
      if (path.length === 0 && !isFound) throw notAt(options)
    }
    if (name === 'endArray') depth--
    const isFirst = !isBegun
    isBegun = true
    if (name !== 'startArray') return undefined
    if (isFirst || (here === at && depth === 0)) {
      isFound = true
      return here
    }
    if (at === undefined) {
      throw new UsageError(
        `the file must be a JSON list of objects; it is an object with the list "${here}": ${optionName(options, 'at')} ${here}`,
      )
    }
    if (here === at && !isFound) throw notAt(options, true)
    depth++
    return undefined
  }
}

/**
 * The bytes up to each of the present ends: a row ends with its piece, as the tokenizer loses the rows of a broken
 * piece, and the text of an object begins with one.
 */
function* piecesOf(chunk: Buffer, ends: () => string[]): Generator<Buffer> {
  for (let from = 0; from < chunk.length; ) {
    const found = ends()
      .map((end) => chunk.indexOf(end, from))
      .filter((at) => at >= 0)
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
