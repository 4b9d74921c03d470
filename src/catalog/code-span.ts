/** From the first to the last of some codes, in the order of code points that the database has. */
export class CodeSpan {
  private first: string | undefined
  private last: string | undefined
  private isOrdered = true

  add(code: string): void {
    if (this.first === undefined || code < this.first) this.first = code
    if (this.last === undefined || code > this.last) this.last = code
    this.isOrdered &&= !disordered.test(code)
  }

  /** Its ends; undefined when there are none, or when they could only be told by comparing code points. */
  ends(): { first: string; last: string } | undefined {
    const { first, last, isOrdered } = this
    return isOrdered && first !== undefined && last !== undefined ? { first, last } : undefined
  }
}

/** JavaScript has surrogates before the characters that follow them, and so what is beyond them before what is not. */
const disordered = /[\ud800-\uffff]/
