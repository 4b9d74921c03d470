/** The command was called wrongly: nothing has been read into the catalogue. The message is a sentence for the caller. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
