/** The options or the file cannot be used: nothing was changed. The message is a sentence for the caller. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** The name of the option at fault in the caller's interface, if it is one. */
  readonly option: string | undefined

  constructor(message: string, option?: string) {
    super(message)
    this.option = option
  }
}
