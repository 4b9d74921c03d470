import { CatalogueError, invalidRequest } from '../errors.ts'

const mebibyte = 1024 * 1024

/** A write may read more than a read, such as all values to which a rule applies. */
const maxBytes = 80 * mebibyte

/** The limit of a read on the thread that serves all requests, where an answer of 1 MiB takes about 20 ms. */
export const readBytesHere = mebibyte

/** The limit of a read in the pool: PostgreSQL sends at most 20 MiB for an answer of 16 MiB. */
export const maxReadBytes = 24 * mebibyte

/** Reading the rest of a short answer takes less than a new connection. */
const restBytes = 5 * mebibyte

/** Of the bytes that statements return, or of the rows that a field works on. */
type Bound = 'bytes' | 'rows'

interface ReadLimitOptions {
  maxRows?: number
  /** Beyond these the request is repeated in the pool: it has written nothing, or will be rolled back. */
  repeatedBeyond?: readonly Bound[]
}

/** What a request may take from the database in this thread. */
export class ReadLimit {
  readonly #maxToRead: number
  readonly #repeatedBeyond: readonly Bound[]
  #isCommitting = false
  #bytes = 0
  #rows = 0
  #isForPool = false
  /** How many rows a field may work on; all fields together, of the rows that `addRows` counts. */
  readonly maxRows: number

  constructor(max = maxBytes, { maxRows = Number.MAX_SAFE_INTEGER, repeatedBeyond = [] }: ReadLimitOptions = {}) {
    this.#maxToRead = max
    this.#repeatedBeyond = repeatedBeyond
    this.maxRows = maxRows
  }

  get #max(): number {
    return this.#isCommitting ? maxBytes : this.#maxToRead
  }

  /** Whether the request must be repeated in the pool. */
  get isForPool(): boolean {
    return this.#isForPool
  }

  /** How many bytes a statement may still return. */
  get left(): number {
    return Math.max(0, this.#max - this.#bytes)
  }

  /** Counts bytes. Returns the error with which the connection ends if it would take too long to read the rest. */
  add(bytes: number): CatalogueError | undefined {
    this.#bytes += bytes
    if (this.#bytes <= this.#max) return undefined
    const error = this.stopAtBytes()
    return this.#isForPool && this.#bytes <= this.#max + restBytes ? undefined : error
  }

  /** Counts rows that are made of few bytes, such as points of series. Throws if the request's are too many. */
  addRows(rows: number): void {
    this.#rows += rows
    if (this.#rows > this.maxRows) {
      throw this.stopAtRows(`a request may make ${this.maxRows} points here; these are ${this.#rows}`)
    }
  }

  /** Begins an attempt at a transaction: after a commit that failed, the next one may read no more than the first. */
  beginAttempt(): void {
    this.#isCommitting = false
    this.#bytes = 0
    this.#rows = 0
  }

  /** Throws if the request must be repeated in the pool. */
  requireHere(): void {
    if (this.#isForPool) throw this.stopAtBytes()
  }

  /** As `requireHere`, and for a read whose answer is longer than what it may read: fields may repeat it. */
  requireShort(answer: unknown): void {
    if (this.#isRepeatedBeyond('bytes') && isLonger(answer, this.#max)) throw this.stopAtBytes()
    this.requireHere()
  }

  /** As `requireShort`, before a commit: after it the request is not repeated. */
  requireShortBeforeCommit(answer: unknown): void {
    this.requireShort(answer)
    this.#isCommitting = true
  }

  /** Stops a read of too many bytes here, to be repeated in the pool if it may be. Returns the error to throw. */
  stopAtBytes(): CatalogueError {
    this.#bytes = Math.max(this.#bytes, this.#max + 1)
    this.#stop('bytes')
    const details = `what a request reads may have ${this.#max} bytes; this is more: ask for a smaller page or fewer fields`
    return invalidRequest(details)
  }

  /** The same for work on more than `maxRows` rows, with the details of the error. */
  stopAtRows(details: string): CatalogueError {
    this.#stop('rows')
    return new CatalogueError('payload_too_large', [{ details }])
  }

  #stop(bound: Bound): void {
    if (this.#isRepeatedBeyond(bound)) this.#isForPool = true
  }

  #isRepeatedBeyond(bound: Bound): boolean {
    return !this.#isCommitting && this.#repeatedBeyond.includes(bound)
  }
}

/** Whether a value has more than so many characters as JSON. What comes after those is not visited. */
function isLonger(value: unknown, max: number): boolean {
  let left = max
  const visit = (part: unknown): void => {
    if (typeof part === 'string') left -= part.length
    else if (Array.isArray(part)) {
      for (let i = 0; i < part.length && left >= 0; i++) {
        left -= 3
        visit(part[i])
      }
    } else if (typeof part === 'object') {
      for (const key in part) {
        left -= key.length + 6
        visit((part as Record<string, unknown>)[key])
        if (left < 0) return
      }
    }
  }
  visit(value)
  return left < 0
}
