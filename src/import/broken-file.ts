/** From here on the file cannot be read any further; the rows before stand. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile'
  readonly line: number | undefined

  constructor(message: string, line?: number) {
    super(message)
    this.line = line
  }
}
