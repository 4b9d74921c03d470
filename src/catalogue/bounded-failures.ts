export const maxFailures = 10_000
const maxBytes = 8 * 1024 * 1024
export const maxReasonLength = 200

/** The text, cut to the length of a reason: ten thousand failures may repeat it. */
export function brief(text: string, limit = maxReasonLength): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`
}

/** `expected; got …`. If that is too long, the expectation is cut. */
export function reasonOf(expected: string, got: string): string {
  return `${brief(expected, maxReasonLength - 6 - got.length)}; got ${got}`
}

/** Keeps at most 10,000 failures and 8 MiB of their JSON, and counts the others as `more`. */
export class BoundedFailures<Failure extends object> {
  readonly kept: Failure[] = []
  more = 0
  #bytes = 0

  add(failure: Failure): void {
    const isOpen = this.kept.length < maxFailures && this.#bytes < maxBytes
    if (isOpen) this.#bytes += Buffer.byteLength(JSON.stringify(failure))
    if (isOpen && this.#bytes <= maxBytes) this.kept.push(failure)
    else this.more++
  }
}
