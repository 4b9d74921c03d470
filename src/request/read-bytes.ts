import { type CatalogueError, invalidRequest, unavailable } from '../errors.ts'

const mebibyte = 1024 * 1024

/** The bytes that the statements of a read may return. */
export const maxReadBytes = 8 * mebibyte

/** The bytes of a listing, whose stored text is neither parsed nor completed. */
export const maxTextBytes = 16 * mebibyte

/** The fault of a read whose answer is too long; `bytes`: how many it has, if they were counted. */
export function longAnswerFault(maxBytes: number, bytes: number | 'more'): string {
  return `an answer may have ${maxBytes} bytes; this one has ${bytes}: request a smaller page or fewer fields`
}

/** The bytes of a write, whose statements return names and reasons, and of a step of a long read. */
const maxStepBytes = 80 * mebibyte

/**
 * Counts further bytes of a request, of its body, its reads or its answer, until the response is closed; fewer if they
 * are negative. Throws `unavailable` beyond the budget; required bytes are counted in any case.
 */
export type Reserve = (bytes: number, isRequired?: boolean) => void

interface Limits {
  /** `onLarge` is called when more has been read. */
  largeBytes: number
  onLarge(): void
  /** Counts what is read as memory of the request's tenant, until the request has its answer. */
  reserve: Reserve | undefined
}

/** Counts the bytes that the statements of a request return. */
export class ReadBytes {
  readonly #max: number
  readonly #limits: Limits | undefined
  #bytes = 0

  constructor(max = maxStepBytes, limits?: Limits) {
    this.#max = max
    this.#limits = limits
  }

  /** How many bytes a statement may still return. */
  get left(): number {
    return Math.max(0, this.#max - this.#bytes)
  }

  /** The counter of a step of a long read, of which little is kept. */
  ofStep(): ReadBytes {
    return new ReadBytes(maxStepBytes, this.#limits && { ...this.#limits, reserve: undefined })
  }

  /** The error of a further statement if the request, or its tenant, has no bytes left. */
  refusal(): CatalogueError | undefined {
    if (this.left === 0) return this.tooMuch()
    try {
      this.#limits?.reserve?.(1)
      return undefined
    } catch (error) {
      return unavailable('unavailable', error, 'the open requests hold too much memory')
    }
  }

  /** Counts bytes. Returns the error with which the connection ends, before they fill the memory. */
  add(bytes: number): CatalogueError | undefined {
    this.#bytes += bytes
    this.#limits?.reserve?.(bytes, true)
    if (this.#limits && this.#bytes > this.#limits.largeBytes) this.#limits.onLarge()
    return this.#bytes > this.#max ? this.tooMuch() : undefined
  }

  release(): void {
    this.#limits?.reserve?.(-this.#bytes, true)
  }

  /** The error of a request that would read more. */
  tooMuch(): CatalogueError {
    const details = `a request may read ${this.#max} bytes; this one reads more: request a smaller page or fewer fields`
    return invalidRequest(details)
  }
}
