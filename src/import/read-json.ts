import { Assembler } from 'stream-json/assembler.js'
import { jsonParser, type Token } from 'stream-json/parser.js'
import { BrokenFile } from './broken-file.ts'
import { exactNumber } from './exact-json.ts'
import { objectRow } from './object-row.ts'
import { type Entry, longestRow } from './row.ts'
import { utf8Text } from './utf8-text.ts'

/** Reads a JSON file that is one list of objects, a row at a time. What is no such list is broken from there on. */
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
        yield objectRow(value, { number: ++number, line: undefined }, size, { value })
        size = 0
      }
    }
  }
  if (!begun || !assembler.done) throw new BrokenFile('the file ends before its JSON list does')
}

/** The tokenizer loses what it found in a piece that turns out to be broken: no piece reaches beyond the end of a row. */
async function* pieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const text of utf8Text(chunks)) yield* text.split(/(?<=\})/)
}

/** The assembler would round a number; a string it keeps as it is, whatever it is. */
function exactToken(text: string): Token {
  return { name: 'stringValue', value: exactNumber(text) as string }
}
