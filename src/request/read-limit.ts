import { CatalogueError, invalidRequest } from '../errors.ts'

const mebibyte = 1024 * 1024

/** An answer has at most 16 MiB, but a write may read more, such as all values to which a rule applies. */
const maxBytes = 80 * mebibyte

/** The limits of reads on the thread that serves all requests, where an answer of 1 MiB takes about 20 ms. */
export const readBytesHere = { rest: mebibyte, graphql: 5 * mebibyte }

/** The limit of a REST read in another thread: PostgreSQL sends at most 20 MiB for an answer of 16 MiB. */
export const maxRestBytes = 24 * mebibyte

export class ReadLimit {
  readonly #max: number
  #bytes = 0
  /** How many rows a write may work on in this thread. */
  readonly maxRows: number
  /** Whether a write has more rows; it has written nothing then. */
  isForOtherThread = false

  constructor(max = maxBytes, maxRows = Number.POSITIVE_INFINITY) {
    this.#max = max
    this.maxRows = Math.min(maxRows, Number.MAX_SAFE_INTEGER)
  }

  get isExceeded(): boolean {
    return this.#bytes > this.#max
  }

  /** How many bytes a statement may still return. */
  get left(): number {
    return Math.max(0, this.#max - this.#bytes)
  }

  /** Counts bytes. Returns the error with which the request ends beyond the limit. */
  add(bytes: number): CatalogueError | undefined {
    this.#bytes += bytes
    return this.isExceeded ? this.exceed() : undefined
  }

  /** The error for rows that a statement left out. */
  exceed(): CatalogueError {
    this.#bytes = Math.max(this.#bytes, this.#max + 1)
    const details = `what a request reads may have ${this.#max} bytes; this is more: ask for a smaller page or fewer fields`
    return invalidRequest(details)
  }

  /** The error for more rows than this thread may work on. */
  exceedRows(): CatalogueError {
    this.isForOtherThread = true
    const details = `the groups to change together with other fields may have ${this.maxRows} assets: send a request for this field`
    return new CatalogueError('payload_too_large', [{ details }])
  }
}
