import { Assembler } from 'stream-json/assembler.js'
import { jsonParser, type Token } from 'stream-json/parser.js'
import { exactNumber, jsonRow } from './json-row.ts'
import { BrokenFile, type Entry, longestRow } from './row.ts'

/** Reads a JSON file that is one list of objects, a row at a time. Throws a BrokenFile where it is not. */
export async function* readJson(chunks: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const tokenize = jsonParser({ streamValues: false })
  const tokensOf = (piece: string) => {
    try {
      return tokenize(piece)
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace('Parser cannot parse input: ', '') : error
      throw new BrokenFile(`the file must be JSON: ${reason}`)
    }
  }
  const assembler = new Assembler<unknown[]>()
  let number = 0
  let size = 0
  let begun = false
  for await (const piece of pieces(chunks)) {
    size += piece.length
    if (size > longestRow) throw new BrokenFile(`the row has more than ${longestRow} characters`)
    const tokens = tokensOf(piece)
    for (const token of typeof tokens === 'object' ? tokens.values : []) {
      if (!begun && token.name !== 'startArray') throw new BrokenFile('the file must be a JSON list of objects')
      begun = true
      assembler.consume(token.name === 'numberValue' ? exactToken(token.value) : token)
      if (assembler.depth === 1 && assembler.current?.length) {
        const value = assembler.current.pop()
        yield jsonRow(value, { number: ++number, line: undefined }, size, { value })
        size = 0
      }
    }
  }
  if (!begun || !assembler.done) throw new BrokenFile('the file ends before its JSON list does')
}

const closingBrace = 0x7d

/** The text up to each closing brace. The tokenizer loses the rows of a piece that is broken: no piece goes beyond the end of a row. */
async function* pieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw new BrokenFile('the file must be UTF-8')
    }
  }
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const brace = chunk.indexOf(closingBrace, from)
      const to = brace < 0 ? chunk.length : brace + 1
      yield decode(chunk.subarray(from, to))
      from = to
    }
  }
  yield decode()
}

/** The assembler would round a number; a string it keeps as it is, whatever it is. */
function exactToken(text: string): Token {
  return { name: 'stringValue', value: exactNumber(text) as string }
}
