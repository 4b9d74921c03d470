export const mostFailures = 10_000
const mostBytes = 8 * 1024 * 1024
export const longestReason = 200

/** A reason as an answer has it: ten thousand failures may repeat it. */
export function brief(text: string, longest = longestReason): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`
}

/** `expected; got …`, of which the expectation is cut where both are too long. */
export function reasonOf(expected: string, got: string): string {
  return `${brief(expected, longestReason - 6 - got.length)}; got ${got}`
}

/** Collects the failures that an answer has, 10,000 and 8 MiB of JSON at most, and counts the others as `more`. */
export class BoundedFailures<Failure extends object> {
  readonly kept: Failure[] = []
  more = 0
  #bytes = 0

  add(failure: Failure): void {
    const isOpen = this.kept.length < mostFailures && this.#bytes < mostBytes
    if (isOpen) this.#bytes += Buffer.byteLength(JSON.stringify(failure))
    if (isOpen && this.#bytes <= mostBytes) this.kept.push(failure)
    else this.more++
  }
}
