import { Readable } from 'node:stream'
import { RandomAccessReader } from 'yauzl'

/** So large a block goes back to the system at once: see bin/catalog. */
const pieceBytes = 1024 * 1024

/** A file in memory, for `yauzl`. When its last part is read, it gives back what is before. */
export class Pieces extends RandomAccessReader {
  readonly #pieces: (Buffer | undefined)[] = []
  size = 0
  /** Whether no byte before the next one that is read will be read again. */
  isLast = false

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const from = this.size % pieceBytes
      if (from === 0) this.#pieces.push(Buffer.allocUnsafe(pieceBytes))
      const copied = chunk.copy(this.#pieces.at(-1) ?? chunk, from, at)
      at += copied
      this.size += copied
    }
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false })
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    let at = offset
    try {
      for (const bytes of this.#range(position, position + length)) at += bytes.copy(buffer, at)
      setImmediate(callback, at < offset + length ? new Error(`it ends before byte ${position + length}`) : null)
    } catch (error) {
      setImmediate(callback, error as Error)
    }
  }

  *#range(start: number, end: number): Generator<Buffer> {
    for (let at = start; at < Math.min(end, this.size); ) {
      const index = Math.floor(at / pieceBytes)
      if (this.isLast) this.#pieces.fill(undefined, 0, index)
      const from = at % pieceBytes
      const bytes = this.#pieces[index]?.subarray(from, from + end - at)
      if (!bytes) throw new Error(`byte ${at} was read before and given back`)
      at += bytes.length
      yield bytes
    }
  }
}
