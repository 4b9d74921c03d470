import { Assembler } from 'stream-json/assembler.js'
import { jsonParser, type Token } from 'stream-json/parser.js'
import { exactNumber, jsonRow, tooManyValues } from './json-row.ts'
import { BrokenFile, type Entry, longestRow, maxValues } from './row.ts'

/** Reads a JSON file that is one list of objects. Throws a BrokenFile where it is not. */
export async function* readJson(chunks: AsyncIterable<Buffer>): AsyncGenerator<Entry[]> {
  const tokensOf = tokenizer()
  const assembler = new Assembler<unknown[]>()
  let number = 0
  let size = 0
  let tokens = 0
  let begun = false
  const rowsOf = (bytes?: Buffer): Entry[] => {
    const rows: Entry[] = []
    size += bytes?.length ?? 0
    if (size > longestRow) throw new BrokenFile(`the row has more than ${longestRow} characters`)
    for (const token of tokensOf(bytes)) {
      if (!begun && token.name !== 'startArray') throw new BrokenFile('the file must be a JSON list of objects')
      begun = true
      // A member of an object is two tokens, and each object and list has two more.
      if (++tokens > 3 * maxValues) throw new BrokenFile(`the row ${tooManyValues}`)
      assembler.consume(token.name === 'numberValue' ? exactToken(token.value) : token)
      if (assembler.depth === 1 && assembler.current?.length) {
        const value = assembler.current.pop()
        rows.push(jsonRow(value, { number: ++number }, { value }, size))
        size = tokens = 0
      }
    }
    return rows
  }
  for await (const chunk of chunks) {
    const rows: Entry[] = []
    try {
      for (const piece of piecesOf(chunk)) rows.push(...rowsOf(piece))
    } finally {
      yield rows
    }
  }
  yield rowsOf()
  if (!begun || !assembler.done) throw new BrokenFile('the file ends before its JSON list does')
}

/** The bytes up to each closing brace: no piece goes past a row, as the tokenizer loses the rows of a broken piece. */
function* piecesOf(chunk: Buffer): Generator<Buffer> {
  for (let from = 0; from < chunk.length; ) {
    const to = chunk.indexOf('}', from) + 1 || chunk.length
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
