import { type CatalogueError, invalidRequest } from '../errors.ts'

const mebibyte = 1024 * 1024

/** No answer to a client is longer than 16 MiB; but a write may read more, such as all values that a rule is for. */
const maxBytes = 80 * mebibyte

/** The limit of a read on the thread that serves all requests, where an answer of this size takes about 100 ms. */
export const maxObjectBytes = 5 * mebibyte

export class ReadLimit {
  readonly #max: number
  #bytes = 0

  constructor(max = maxBytes) {
    this.#max = max
  }

  get isExceeded(): boolean {
    return this.#bytes > this.#max
  }

  /** Returns the error to end the request with once the bytes are more than the limit. */
  add(bytes: number): CatalogueError | undefined {
    this.#bytes += bytes
    if (!this.isExceeded) return undefined
    const details = `what a request reads may have ${this.#max} bytes; this is more: ask for a smaller page or fewer fields`
    return invalidRequest(details)
  }
}
