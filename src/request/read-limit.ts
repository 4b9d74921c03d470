import { CatalogueError, invalidRequest } from '../errors.ts'

const mebibyte = 1024 * 1024

/** No answer to a client is longer than 16 MiB; but a write may read more, such as all values that a rule is for. */
const maxBytes = 80 * mebibyte

/** The limits of reads on the thread that serves all requests, where an answer of 1 MiB takes about 20 ms. */
export const readBytesHere = { rest: mebibyte, graphql: 5 * mebibyte }

/** The limit of a REST read in another thread: 16 MiB of an answer are at most 20 MiB in the words of PostgreSQL. */
export const maxRestBytes = 24 * mebibyte

export class ReadLimit {
  readonly #max: number
  #bytes = 0
  /** How many rows a write may work on in this thread. */
  readonly maxRows: number
  /** Whether a write has found more, before it has written anything. */
  isForOtherThread = false

  constructor(max = maxBytes, maxRows = Number.POSITIVE_INFINITY) {
    this.#max = max
    this.maxRows = Math.min(maxRows, Number.MAX_SAFE_INTEGER)
  }

  get isExceeded(): boolean {
    return this.#bytes > this.#max
  }

  /** What a statement may return, which need not return more. */
  get left(): number {
    return Math.max(0, this.#max - this.#bytes)
  }

  /** Returns the error to end the request with once the bytes are more than the limit. */
  add(bytes: number): CatalogueError | undefined {
    this.#bytes += bytes
    return this.isExceeded ? this.exceed() : undefined
  }

  /** The error for what a statement has not returned. */
  exceed(): CatalogueError {
    this.#bytes = Math.max(this.#bytes, this.#max + 1)
    const details = `what a request reads may have ${this.#max} bytes; this is more: ask for a smaller page or fewer fields`
    return invalidRequest(details)
  }

  /** The same for more rows than this thread may work on. */
  exceedRows(): CatalogueError {
    this.isForOtherThread = true
    const details = `the groups to change together with other fields may have ${this.maxRows} assets: send a request for this field`
    return new CatalogueError('payload_too_large', [{ details }])
  }
}
