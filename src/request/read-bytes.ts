import { type CatalogueError, invalidRequest } from '../errors.ts'

const mebibyte = 1024 * 1024

/** The bytes that the statements of a read may return. */
export const maxReadBytes = 8 * mebibyte

/** The bytes of a listing, whose stored text is neither parsed nor completed. */
export const maxTextBytes = 16 * mebibyte

/** The bytes of a write, whose statements return names and reasons, and of a step of a long read. */
const maxStepBytes = 80 * mebibyte

/** What is called when a request has read more than so many bytes. */
interface LargeRead {
  bytes: number
  onRead(): void
}

/** Counts the bytes that the statements of a request return. */
export class ReadBytes {
  readonly #max: number
  readonly #large: LargeRead | undefined
  #bytes = 0

  constructor(max = maxStepBytes, large?: LargeRead) {
    this.#max = max
    this.#large = large
  }

  /** How many bytes a statement may still return. */
  get left(): number {
    return Math.max(0, this.#max - this.#bytes)
  }

  /** The counter of a step of a long read, of which little is kept. */
  ofStep(): ReadBytes {
    return new ReadBytes(maxStepBytes, this.#large)
  }

  /** Counts bytes. Returns the error with which the connection ends, before they fill the memory. */
  add(bytes: number): CatalogueError | undefined {
    this.#bytes += bytes
    if (this.#large && this.#bytes > this.#large.bytes) this.#large.onRead()
    return this.#bytes > this.#max ? this.tooMuch() : undefined
  }

  /** The error of a request that would read more. */
  tooMuch(): CatalogueError {
    const details = `what a request reads may have ${this.#max} bytes; this is more: ask for a smaller page or fewer fields`
    return invalidRequest(details)
  }
}
