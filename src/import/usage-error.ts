/** The options or the file do not allow the import: nothing was imported. The message is a sentence for the caller. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** The name of the option at fault in the caller's interface, if it is one. */
  readonly option: string | undefined

  constructor(message: string, option?: string) {
    super(message)
    this.option = option
  }
}
