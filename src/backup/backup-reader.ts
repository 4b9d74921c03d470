import { createHash } from 'node:crypto'
import { shown } from '../text.ts'
import { countLines, endOfRows, lineFeed } from './format.ts'

/** Reads a backup line by line, and rows in blocks of whole lines. Throws if the text ends early or differs. */
export class BackupReader {
  readonly path: string
  readonly #source: AsyncIterator<Buffer>
  readonly #hash = createHash('sha256')
  #buffer: Buffer = Buffer.alloc(0)

  constructor(path: string, source: AsyncIterable<Buffer>) {
    this.path = path
    this.#source = source[Symbol.asyncIterator]()
  }

  async line(): Promise<string> {
    while (!this.#buffer.includes(lineFeed)) await this.#readMore()
    return this.#take(this.#buffer.indexOf(lineFeed) + 1)
      .toString()
      .slice(0, -1)
  }

  async expect(expected: string, name: string): Promise<void> {
    const line = await this.line()
    if (line !== expected) throw damaged(this.path, `: expected ${name}; got ${shown(line)}`)
  }

  /** Writes the rows up to their end line, and returns their number. */
  async copyRows(write: (text: AsyncIterable<Buffer>) => Promise<void>): Promise<number> {
    let count = 0
    const rows = async function* (this: BackupReader) {
      for (let text = await this.#rows(); text; text = await this.#rows()) {
        count += countLines(text)
        yield text
      }
    }
    await write(rows.call(this))
    await this.expect(endOfRows, 'the end of the rows')
    return count
  }

  /** The SHA-256 of the text so far. */
  digest(): string {
    return this.#hash.copy().digest('hex')
  }

  async expectEnd(): Promise<void> {
    const { done } = await this.#source.next()
    if (!done || this.#buffer.length > 0) throw damaged(this.path, ': expected nothing after the end line')
  }

  /** Whole lines, at most up to the end of the rows; undefined if that is next. */
  async #rows(): Promise<Buffer | undefined> {
    while (!this.#buffer.includes(lineFeed)) await this.#readMore()
    const text = this.#buffer.subarray(0, this.#buffer.lastIndexOf(lineFeed) + 1)
    if (text.subarray(0, endOfRows.length + 1).equals(Buffer.from(`${endOfRows}\n`))) return undefined
    const end = text.indexOf(`\n${endOfRows}\n`)
    return this.#take(end < 0 ? text.length : end + 1)
  }

  #take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    this.#hash.update(taken)
    return taken
  }

  async #readMore(): Promise<void> {
    const { done, value } = await this.#source.next()
    if (done) throw damaged(this.path, ': it is cut off before its end line')
    this.#buffer = Buffer.concat([this.#buffer, value])
  }
}

export function damaged(path: string, what: string): Error {
  return new Error(`${path} is damaged${what}. Nothing was restored: use another backup.`)
}
